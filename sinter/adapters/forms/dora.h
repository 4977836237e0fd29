#pragma once

#include <memory>

#include "sinter/adapters/file/module_tensors.h"
#include "sinter/adapters/forms/change.h"

namespace sinter::adapters {

/// DoRA over an additive form: V = W + delta, D = V * dora_scale / norm(V), and W + strength *
/// (D - W). The norm is of each output row, or of each input (over rows and kernel) as the first
/// versions of LyCORIS had it: dora_scale's shape tells, [out,1..] or [1,in,1..]; a square weight
/// is taken by the axis that is not 1. PEFT's magnitudes are of rows whatever their shape.
/// Source: Liu et al. 2024 (arXiv 2402.09353), section 4.1.
/// @throws Error{kShapeMismatch}.
void check_dora(const ModuleTensors& module, const MatrixShape& weight);

/// Whether the norm is of the inputs, so that it needs all rows.
bool is_dora_of_inputs(const ModuleTensors& module, const MatrixShape& weight);

std::unique_ptr<Change> load_dora(const ModuleTensors& module, const MatrixShape& weight,
                                  std::unique_ptr<Delta> delta, float strength);

}  // namespace sinter::adapters
