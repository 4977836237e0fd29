#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sinter/base/dtype.h"
#include "sinter/base/shape.h"

namespace sinter {

/// Bytes of a dense tensor.
/// @throws Error{kBadFile} when the shape has no element count, or memory cannot address as many.
std::size_t byte_count(DType dtype, const Shape& shape);

/// A dense row-major tensor in memory that it owns.
class Tensor {
 public:
  Tensor() = default;

  /// Zero-filled.
  Tensor(DType dtype, Shape shape);

  /// Takes float values; their number must be the shape's element count.
  /// @throws Error{kShapeMismatch} otherwise.
  Tensor(Shape shape, std::span<const float> values);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  std::int64_t size() const {
    return static_cast<std::int64_t>(data_.size() / dtype_bytes(dtype_));
  }

  std::span<std::byte> bytes() { return data_; }
  std::span<const std::byte> bytes() const { return data_; }

  /// The elements, valid while the tensor lives.
  /// @throws Error{kDTypeMismatch} when the dtype is not float32 (int64 for ints()).
  std::span<float> floats();
  std::span<const float> floats() const;
  std::span<std::int64_t> ints();
  std::span<const std::int64_t> ints() const;

  /// The same elements under another shape of equal count.
  /// @throws Error{kShapeMismatch} when the counts differ.
  Tensor reshaped(Shape shape) const;

 private:
  DType dtype_ = DType::kF32;
  Shape shape_ = {0};
  std::vector<std::byte> data_;
};

/// A copy converted element by element (rounding to nearest even; integers by value).
/// @throws Error{kUnsupported} to float8, which is only read.
Tensor to_dtype(const Tensor& tensor, DType dtype);

}  // namespace sinter
