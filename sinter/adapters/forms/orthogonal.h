#pragma once

#include <memory>

#include "sinter/adapters/file/module_tensors.h"
#include "sinter/adapters/forms/change.h"

namespace sinter::adapters {

/// OFT: W + strength * (rescale * R^T W - W), R a rotation for each block of output rows, built
/// from oft_blocks [count, size, size] by Cayley's transform. alpha times the rows is the
/// constraint of their norm (0: none), not a scale.
/// Source: Qiu et al. 2023 (arXiv 2306.07280); which side R stands on: sd-scripts, LyCORIS.
/// @throws Error{kShapeMismatch}.
void check_orthogonal(const ModuleTensors& module, const MatrixShape& weight);
std::unique_ptr<Change> load_orthogonal(const ModuleTensors& module, const MatrixShape& weight,
                                        float strength);

}  // namespace sinter::adapters
