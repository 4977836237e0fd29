#pragma once

#include <memory>

#include "sinter/adapters/file/module_tensors.h"
#include "sinter/adapters/forms/change.h"

namespace sinter::adapters {

/// The whole difference of a weight or a bias, stored as it is added: diff, diff_b, w_norm, b_norm.
/// Source: LyCORIS (arXiv 2309.14859), "full" and "norm".
/// @throws Error{kShapeMismatch}.
void check_difference(const ModuleTensors& module, TensorRole role, const MatrixShape& weight);
std::unique_ptr<Delta> load_difference(const ModuleTensors& module, TensorRole role,
                                       const MatrixShape& weight);

}  // namespace sinter::adapters
