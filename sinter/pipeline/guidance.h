#pragma once

#include "sinter/base/tensor.h"

namespace sinter::pipeline {

/// Classifier-free guidance: uncond + scale (cond - uncond).
///
/// both: [2N,...] float32, the uncond half first. Returns [N,...].
/// @throws Error{kShapeMismatch} when there are no two halves.
/// Source: Ho and Salimans 2022 (arXiv 2207.12598), eq. 6 with w = scale - 1.
Tensor guided(const Tensor& both, double scale);

/// The batch `times` (at least 1) over, one after the other: [N,...] -> [times N,...].
Tensor repeated(const Tensor& batch, int times);

/// Each row `times` (at least 1) over: rows a, b -> a, a, b, b.
Tensor each_repeated(const Tensor& batch, int times);

}  // namespace sinter::pipeline
