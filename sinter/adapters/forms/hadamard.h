#pragma once

#include <memory>

#include "sinter/adapters/file/module_tensors.h"
#include "sinter/adapters/forms/change.h"

namespace sinter::adapters {

/// alpha/rank * (w1_a w1_b) o (w2_a w2_b), the product element by element; with t1 and t2 each
/// factor is a Tucker decomposition, its w_a stored [rank, out].
/// Sources: Hyeon-Woo et al. 2021 (arXiv 2108.06098), proposition 2; LyCORIS (arXiv 2309.14859),
/// section 3.2.
/// @throws Error{kShapeMismatch}.
void check_hadamard(const ModuleTensors& module, const MatrixShape& weight);
std::unique_ptr<Delta> load_hadamard(const ModuleTensors& module, const MatrixShape& weight);

}  // namespace sinter::adapters
