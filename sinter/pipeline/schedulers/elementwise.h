#pragma once

#include <cstddef>

#include "sinter/base/error.h"
#include "sinter/base/tensor.h"

namespace sinter::pipeline {

/// f(a, b) element by element; float32.
/// @throws Error{kShapeMismatch} when the two shapes differ.
template <typename F>
Tensor map_pair(const Tensor& a, const Tensor& b, F f) {
  if (a.shape() != b.shape()) {
    throw Error(ErrorCode::kShapeMismatch, "the model's output is " + to_string(b.shape()) +
                                               ", expected the latent's " + to_string(a.shape()));
  }
  Tensor result(DType::kF32, a.shape());
  const auto x = a.floats();
  const auto y = b.floats();
  const auto out = result.floats();
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = f(x[i], y[i]);
  return result;
}

}  // namespace sinter::pipeline
