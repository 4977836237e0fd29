#pragma once

#include <string_view>

#include "sinter/base/dtype.h"

namespace sinter::verify {

/// How far a computation may stray, as parts of the output's scale (its largest absolute value).
struct Tolerance {
  std::string_view name;  // of the arithmetic: "float16"
  DType compute;
  double max;   // of the largest error
  double mean;  // of the mean error
};

/// What a graph that computes in `compute` may differ from a float32 reference.
const Tolerance& tolerance_for(DType compute);

/// The coarser of two: of a graph's type and of the arithmetic that an engine uses for it.
const Tolerance& coarser(const Tolerance& a, const Tolerance& b);

/// TensorRT chooses kernels and accumulation by itself.
extern const Tolerance kTensorRtTolerance;

}  // namespace sinter::verify
