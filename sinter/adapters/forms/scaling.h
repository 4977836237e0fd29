#pragma once

#include <memory>

#include "sinter/adapters/file/module_tensors.h"
#include "sinter/adapters/forms/change.h"

namespace sinter::adapters {

/// (IA)^3: W * (1 + strength * weight) along the output rows, or along the inputs where on_input is
/// 1. The bias is left alone.
/// Sources: Liu et al. 2022 (arXiv 2205.05638), section 3.3; LyCORIS (arXiv 2309.14859).
/// @throws Error{kShapeMismatch}.
void check_scaling(const ModuleTensors& module, const MatrixShape& weight);
std::unique_ptr<Change> load_scaling(const ModuleTensors& module, const MatrixShape& weight,
                                     float strength);

}  // namespace sinter::adapters
