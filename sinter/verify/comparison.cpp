#include "sinter/verify/comparison.h"

#include <cmath>
#include <limits>

namespace sinter::verify {
namespace {

Shape index_of(std::size_t flat, const Shape& shape) {
  Shape index(shape.size());
  auto rest = static_cast<std::int64_t>(flat);
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = rest % shape[axis];
    rest /= shape[axis];
  }
  return index;
}

double ratio(double error, double scale) {
  if (error == 0) return 0;
  return scale == 0 ? std::numeric_limits<double>::infinity() : error / scale;
}

// Sums of one pass over the pairs.
class Accumulator {
 public:
  explicit Accumulator(Comparison& result) : result_(result) {}

  void add(std::size_t i, double reference, double found) {
    result_.reference_nan += std::isnan(reference);
    result_.reference_inf += std::isinf(reference);
    result_.found_nan += std::isnan(found);
    result_.found_inf += std::isinf(found);
    if (std::isfinite(reference)) result_.scale = std::max(result_.scale, std::abs(reference));
    if (!std::isfinite(reference) || !std::isfinite(found)) {
      // Equal infinities agree; NaN equals nothing.
      if (reference == found || result_.non_finite_mismatches++ > 0) return;
      mismatch_ = i;
      result_.non_finite_reference = reference;
      result_.non_finite_found = found;
      return;
    }
    const double error = std::abs(reference - found);
    if (error > result_.max_abs || result_.finite_pairs == 0) {
      result_.max_abs = error;
      worst_ = i;
      result_.worst_reference = reference;
      result_.worst_found = found;
    }
    ++result_.finite_pairs;
    sum_ += error;
    dot_ += reference * found;
    reference_square_ += reference * reference;
    found_square_ += found * found;
  }

  void finish() {
    const Shape& shape = result_.reference_shape;
    if (result_.finite_pairs > 0) {
      result_.mean_abs = sum_ / static_cast<double>(result_.finite_pairs);
      result_.worst_index = index_of(worst_, shape);
    }
    if (result_.non_finite_mismatches > 0) {
      result_.first_non_finite_mismatch = index_of(mismatch_, shape);
    }
    result_.max_relative = ratio(result_.max_abs, result_.scale);
    result_.mean_relative = ratio(result_.mean_abs, result_.scale);
    const double norms = std::sqrt(reference_square_) * std::sqrt(found_square_);
    const bool both_zero = reference_square_ == 0 && found_square_ == 0;
    result_.cosine = both_zero ? 1 : norms == 0 ? 0 : dot_ / norms;
  }

 private:
  Comparison& result_;
  std::size_t worst_ = 0;
  std::size_t mismatch_ = 0;
  double sum_ = 0;
  double dot_ = 0;
  double reference_square_ = 0;
  double found_square_ = 0;
};

}  // namespace

Comparison compare(const Tensor& reference, const Tensor& found) {
  Comparison result;
  result.reference_shape = reference.shape();
  result.found_shape = found.shape();
  result.elements = reference.size();
  if (!result.same_shape()) return result;
  const Tensor a = to_dtype(reference, DType::kF32);
  const Tensor b = to_dtype(found, DType::kF32);
  Accumulator sums(result);
  for (std::size_t i = 0; i < a.floats().size(); ++i) {
    sums.add(i, static_cast<double>(a.floats()[i]), static_cast<double>(b.floats()[i]));
  }
  sums.finish();
  return result;
}

bool within(const Comparison& comparison, const Tolerance& tolerance) {
  return comparison.same_shape() && comparison.non_finite_mismatches == 0 &&
         comparison.max_relative <= tolerance.max && comparison.mean_relative <= tolerance.mean;
}

NonFinite count_non_finite(const Tensor& tensor) {
  NonFinite result;
  if (!is_floating(tensor.dtype())) return result;
  const Tensor wide = to_dtype(tensor, DType::kF32);
  for (std::size_t i = 0; i < wide.floats().size(); ++i) {
    const float value = wide.floats()[i];
    if (std::isfinite(value)) continue;
    if (result.count() == 0) {
      result.first = index_of(i, tensor.shape());
      result.first_value = static_cast<double>(value);
    }
    result.nan += std::isnan(value);
    result.positive_inf += std::isinf(value) && value > 0;
    result.negative_inf += std::isinf(value) && value < 0;
  }
  return result;
}

}  // namespace sinter::verify
