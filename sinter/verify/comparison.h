#pragma once

#include <cstdint>
#include <vector>

#include "sinter/base/tensor.h"
#include "sinter/verify/tolerance.h"

namespace sinter::verify {

/// How a tensor differs from its reference. Errors are over the elements where both are finite;
/// where there are none, the figures say nothing.
struct Comparison {
  Shape reference_shape;
  Shape found_shape;
  std::int64_t elements = 0;
  std::int64_t finite_pairs = 0;  // elements where both are finite
  double scale = 0;               // largest absolute value of the reference
  double max_abs = 0;             // largest absolute error
  double mean_abs = 0;            // mean absolute error
  double max_relative = 0;        // max_abs / scale
  double mean_relative = 0;
  double cosine = 1;  // of the angle between the two as vectors
  Shape worst_index;  // of the first element with the largest error
  double worst_reference = 0;
  double worst_found = 0;
  std::int64_t reference_nan = 0;
  std::int64_t reference_inf = 0;
  std::int64_t found_nan = 0;
  std::int64_t found_inf = 0;
  std::int64_t non_finite_mismatches = 0;  // NaN on either side, or infinity against another value
  Shape first_non_finite_mismatch;         // where the first of those is; empty without one
  double non_finite_reference = 0;         // the two values there
  double non_finite_found = 0;

  bool same_shape() const { return reference_shape == found_shape; }
};

/// Compares element by element, in float64. Tensors of different shapes get only their shapes.
Comparison compare(const Tensor& reference, const Tensor& found);

/// Same shape, no NaN, infinities only where the reference has them, errors within the tolerance.
bool within(const Comparison& comparison, const Tolerance& tolerance);

/// Number of elements that are NaN, and that are infinite.
struct NonFinite {
  std::int64_t nan = 0;
  std::int64_t positive_inf = 0;
  std::int64_t negative_inf = 0;
  Shape first;             // where the first of them is; empty without one
  double first_value = 0;  // what it is

  std::int64_t count() const { return nan + positive_inf + negative_inf; }
};
NonFinite count_non_finite(const Tensor& tensor);

}  // namespace sinter::verify
