#include "sinter/weights/non_finite.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sinter::weights {
namespace {

/// Every bit of `mask` set means NaN or infinity: the exponent, and for float8_e4m3fn, which has no
/// infinity and gives most of its highest exponent to numbers, the mantissa too.
template <typename Word>
bool any_with_mask(std::span<const std::byte> values, Word mask) {
  constexpr std::size_t kBlock = 512;
  std::array<Word, kBlock> block;
  while (values.size() >= sizeof(Word)) {
    const std::size_t count = std::min(kBlock, values.size() / sizeof(Word));
    std::memcpy(block.data(), values.data(), count * sizeof(Word));
    // No early exit inside a block, so that the loop vectorises.
    unsigned found = 0;
    for (std::size_t i = 0; i < count; ++i) {
      found |= static_cast<Word>(block[i] & mask) == mask ? 1u : 0u;
    }
    if (found != 0) return true;
    values = values.subspan(count * sizeof(Word));
  }
  return false;
}

}  // namespace

bool has_non_finite(std::span<const std::byte> values, DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return any_with_mask<std::uint64_t>(values, 0x7ff0000000000000u);
    case DType::kF32:
      return any_with_mask<std::uint32_t>(values, 0x7f800000u);
    case DType::kF16:
      return any_with_mask<std::uint16_t>(values, 0x7c00u);
    case DType::kBF16:
      return any_with_mask<std::uint16_t>(values, 0x7f80u);
    case DType::kF8E4M3:
      return any_with_mask<std::uint8_t>(values, 0x7fu);
    case DType::kF8E5M2:
      return any_with_mask<std::uint8_t>(values, 0x7cu);
    default:
      return false;
  }
}

}  // namespace sinter::weights
