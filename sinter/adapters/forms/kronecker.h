#pragma once

#include <memory>

#include "sinter/adapters/file/module_tensors.h"
#include "sinter/adapters/forms/change.h"

namespace sinter::adapters {

/// scale * kron(w1, w2), w1 [a,c] and w2 [b,d,kernel]: row a*b + y, input c*d + x. Either may be
/// two factors; w2 of a convolution may also be a Tucker decomposition with t2. The scale is
/// alpha/rank, and 1 where both are whole.
/// Sources: Edalati et al. 2022 (arXiv 2212.10650); LyCORIS (arXiv 2309.14859), section 3.2.
/// @throws Error{kShapeMismatch}.
void check_kronecker(const ModuleTensors& module, const MatrixShape& weight);
std::unique_ptr<Delta> load_kronecker(const ModuleTensors& module, const MatrixShape& weight);

}  // namespace sinter::adapters
