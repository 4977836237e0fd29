#include "sinter/adapters/arithmetic/float_storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sinter/base/error.h"
#include "sinter/base/half.h"
#include "sinter/base/tensor.h"
#include "sinter/weights/non_finite.h"

namespace sinter::adapters {
namespace {

constexpr std::size_t kPiece = 4096;  // elements that are aligned at a time

template <typename T>
std::span<T> as(std::span<std::byte> bytes) {
  return {static_cast<T*>(static_cast<void*>(bytes.data())), bytes.size() / sizeof(T)};
}

/// Pieces of 16-bit elements, aligned for the vectorised conversions.
void load_halves(std::span<const std::byte> from, DType stored, std::span<float> to) {
  std::array<std::uint16_t, kPiece> aligned;
  for (std::size_t done = 0; done < to.size(); done += kPiece) {
    const std::size_t piece = std::min(kPiece, to.size() - done);
    std::memcpy(aligned.data(), from.data() + 2 * done, 2 * piece);
    const std::span<const std::uint16_t> halves = std::span(aligned).first(piece);
    if (stored == DType::kF16)
      half_to_float(halves, to.subspan(done, piece));
    else
      bfloat16_to_float(halves, to.subspan(done, piece));
  }
}

}  // namespace

DType merged_dtype(DType stored, bool widen) {
  if (!is_floating(stored))
    throw Error(ErrorCode::kUnsupported,
                fmt::format("an adapter cannot change weights of {}", dtype_info(stored).word));
  if (widen && dtype_bytes(stored) < dtype_bytes(DType::kF32)) return DType::kF32;
  return dtype_bytes(stored) == 1 ? DType::kF16 : stored;
}

void load_floats(std::span<const std::byte> from, DType stored, std::span<float> to) {
  if (to.empty()) return;
  if (stored == DType::kF16 || stored == DType::kBF16) return load_halves(from, stored, to);
  if (stored == DType::kF32) {
    std::memcpy(to.data(), from.data(), to.size_bytes());
    return;
  }
  Tensor tensor(stored, {static_cast<std::int64_t>(to.size())});
  std::ranges::copy(from, tensor.bytes().begin());
  std::ranges::copy(to_dtype(tensor, DType::kF32).floats(), to.begin());
}

bool store_floats(std::span<const float> from, DType type, std::span<std::byte> to) {
  if (from.empty()) return true;
  if (type == DType::kF16) {
    float_to_half(from, as<std::uint16_t>(to));
  } else if (type == DType::kBF16) {
    float_to_bfloat16(from, as<std::uint16_t>(to));
  } else if (type == DType::kF32) {
    std::memcpy(to.data(), from.data(), from.size_bytes());
  } else {
    const Tensor tensor({static_cast<std::int64_t>(from.size())}, from);
    std::ranges::copy(to_dtype(tensor, type).bytes(), to.begin());
  }
  return !weights::has_non_finite(to, type);
}

}  // namespace sinter::adapters
