#include "sinter/base/tensor.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/base/half.h"

namespace sinter {
namespace {

template <typename T>
std::span<T> view(std::span<std::byte> bytes) {
  return {static_cast<T*>(static_cast<void*>(bytes.data())), bytes.size() / sizeof(T)};
}

template <typename T>
std::span<const T> view(std::span<const std::byte> bytes) {
  return {static_cast<const T*>(static_cast<const void*>(bytes.data())), bytes.size() / sizeof(T)};
}

void require(DType expected, DType found) {
  if (expected == found) return;
  throw Error(ErrorCode::kDTypeMismatch,
              fmt::format("the tensor holds {}, expected {}", dtype_info(found).word,
                          dtype_info(expected).word));
}

template <typename T>
void widen(std::span<const std::byte> from, std::span<double> to) {
  const std::span<const T> values = view<T>(from);
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<double>(values[i]);
}

template <typename T>
void narrow(std::span<const double> from, std::span<std::byte> to) {
  const std::span<T> values = view<T>(to);
  for (std::size_t i = 0; i < from.size(); ++i) values[i] = static_cast<T>(from[i]);
}

// A type of 256 values is looked up.
void widen_float8(std::span<const std::byte> from, float (*value)(std::uint8_t),
                  std::span<double> to) {
  std::array<double, 256> values;
  for (std::size_t bits = 0; bits < values.size(); ++bits)
    values[bits] = static_cast<double>(value(static_cast<std::uint8_t>(bits)));
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = values[std::to_integer<std::size_t>(from[i])];
}

// double holds every value of the supported types exactly, but int64 beyond 2^53 (token ids stay
// far below).
void read_as_double(const Tensor& tensor, std::span<double> out) {
  const std::span<const std::byte> bytes = tensor.bytes();
  switch (tensor.dtype()) {
    case DType::kF64:
      return widen<double>(bytes, out);
    case DType::kF32:
      return widen<float>(bytes, out);
    case DType::kI64:
      return widen<std::int64_t>(bytes, out);
    case DType::kI32:
      return widen<std::int32_t>(bytes, out);
    case DType::kI16:
      return widen<std::int16_t>(bytes, out);
    case DType::kI8:
      return widen<std::int8_t>(bytes, out);
    case DType::kU64:
      return widen<std::uint64_t>(bytes, out);
    case DType::kU32:
      return widen<std::uint32_t>(bytes, out);
    case DType::kU16:
      return widen<std::uint16_t>(bytes, out);
    case DType::kU8:
    case DType::kBool:
      return widen<std::uint8_t>(bytes, out);
    case DType::kF16:
    case DType::kBF16: {
      const std::span<const std::uint16_t> halves = view<std::uint16_t>(bytes);
      const bool f16 = tensor.dtype() == DType::kF16;
      for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<double>(f16 ? half_to_float(halves[i]) : bfloat16_to_float(halves[i]));
      }
      return;
    }
    case DType::kF8E4M3:
      return widen_float8(bytes, float8_e4m3_to_float, out);
    case DType::kF8E5M2:
      return widen_float8(bytes, float8_e5m2_to_float, out);
  }
}

void write_from_double(std::span<const double> from, Tensor& tensor) {
  const std::span<std::byte> bytes = tensor.bytes();
  switch (tensor.dtype()) {
    case DType::kF64:
      return narrow<double>(from, bytes);
    case DType::kF32:
      return narrow<float>(from, bytes);
    case DType::kI64:
      return narrow<std::int64_t>(from, bytes);
    case DType::kI32:
      return narrow<std::int32_t>(from, bytes);
    case DType::kI16:
      return narrow<std::int16_t>(from, bytes);
    case DType::kI8:
      return narrow<std::int8_t>(from, bytes);
    case DType::kU64:
      return narrow<std::uint64_t>(from, bytes);
    case DType::kU32:
      return narrow<std::uint32_t>(from, bytes);
    case DType::kU16:
      return narrow<std::uint16_t>(from, bytes);
    case DType::kU8:
    case DType::kBool:
      return narrow<std::uint8_t>(from, bytes);
    case DType::kF16:
    case DType::kBF16: {
      const std::span<std::uint16_t> halves = view<std::uint16_t>(bytes);
      const bool f16 = tensor.dtype() == DType::kF16;
      for (std::size_t i = 0; i < from.size(); ++i) {
        const float value = static_cast<float>(from[i]);
        halves[i] = f16 ? float_to_half(value) : float_to_bfloat16(value);
      }
      return;
    }
    case DType::kF8E4M3:
    case DType::kF8E5M2:
      break;
  }
  throw Error(ErrorCode::kUnsupported,
              fmt::format("cannot convert to {}", dtype_info(tensor.dtype()).word));
}

// The conversions of whole checkpoints, vectorised; false where there is none for the pair.
bool convert_floats(const Tensor& from, Tensor& to) {
  const std::span<const std::byte> source = from.bytes();
  const std::span<std::byte> target = to.bytes();
  if (from.dtype() == DType::kF16 && to.dtype() == DType::kF32) {
    half_to_float(view<std::uint16_t>(source), view<float>(target));
  } else if (from.dtype() == DType::kBF16 && to.dtype() == DType::kF32) {
    bfloat16_to_float(view<std::uint16_t>(source), view<float>(target));
  } else if (from.dtype() == DType::kF32 && to.dtype() == DType::kF16) {
    float_to_half(view<float>(source), view<std::uint16_t>(target));
  } else if (from.dtype() == DType::kF32 && to.dtype() == DType::kBF16) {
    float_to_bfloat16(view<float>(source), view<std::uint16_t>(target));
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::size_t byte_count(DType dtype, const Shape& shape) {
  const auto count = static_cast<std::size_t>(element_count(shape));
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, dtype_bytes(dtype), &bytes) ||
      bytes > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max())) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("the shape {} of {} is beyond what memory can hold", to_string(shape),
                            dtype_info(dtype).word));
  }
  return bytes;
}

Tensor::Tensor(DType dtype, Shape shape)
    : dtype_(dtype), shape_(std::move(shape)), data_(byte_count(dtype, shape_)) {}

Tensor::Tensor(Shape shape, std::span<const float> values) : Tensor(DType::kF32, std::move(shape)) {
  if (static_cast<std::size_t>(size()) != values.size()) {
    throw Error(ErrorCode::kShapeMismatch, fmt::format("{} values do not fill the shape {}",
                                                       values.size(), to_string(shape_)));
  }
  if (!values.empty()) std::memcpy(data_.data(), values.data(), values.size_bytes());
}

std::span<float> Tensor::floats() {
  require(DType::kF32, dtype_);
  return view<float>(std::span<std::byte>(data_));
}

std::span<const float> Tensor::floats() const {
  require(DType::kF32, dtype_);
  return view<float>(std::span<const std::byte>(data_));
}

std::span<std::int64_t> Tensor::ints() {
  require(DType::kI64, dtype_);
  return view<std::int64_t>(std::span<std::byte>(data_));
}

std::span<const std::int64_t> Tensor::ints() const {
  require(DType::kI64, dtype_);
  return view<std::int64_t>(std::span<const std::byte>(data_));
}

Tensor Tensor::reshaped(Shape shape) const {
  if (element_count(shape) != size()) {
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("cannot see {} as {}", to_string(shape_), to_string(shape)));
  }
  Tensor result = *this;
  result.shape_ = std::move(shape);
  return result;
}

Tensor to_dtype(const Tensor& tensor, DType dtype) {
  if (tensor.dtype() == dtype) return tensor;
  Tensor result(dtype, tensor.shape());
  if (convert_floats(tensor, result)) return result;
  std::vector<double> values(static_cast<std::size_t>(tensor.size()));
  read_as_double(tensor, values);
  write_from_double(values, result);
  return result;
}

}  // namespace sinter
