#include "sinter/base/half.h"

#include <bit>
#include <cassert>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sinter {

std::uint16_t float_to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint16_t sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);
  // 65520 and above round to infinity: it is halfway between 65504 and 65536.
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {
    // Below 2^-14: adding 0.5 leaves the value in units of 2^-24 in the low mantissa bits, rounded
    // by the adder.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u));
  }
  const std::uint32_t odd = (magnitude >> 13) & 1u;
  const std::uint32_t rounded = magnitude + 0xfffu + odd - (112u << 23);
  return static_cast<std::uint16_t>(sign | (rounded >> 13));
}

float half_to_float(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00u)
    return std::bit_cast<float>(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
  if (magnitude < 0x400u) {
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
  }
  return std::bit_cast<float>(sign | ((magnitude << 13) + (112u << 23)));
}

std::uint16_t float_to_bfloat16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

float bfloat16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

float float8_e4m3_to_float(std::uint8_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x80u) << 24;
  const std::uint32_t magnitude = bits & 0x7fu;
  if (magnitude == 0x7fu) return std::bit_cast<float>(sign | 0x7fc00000u);
  if (magnitude < 0x08u) {
    const float value = static_cast<float>(magnitude) * 0x1p-9f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
  }
  // The exponent's bias is 7 here and 127 there.
  return std::bit_cast<float>(sign | ((magnitude << 20) + (120u << 23)));
}

float float8_e5m2_to_float(std::uint8_t bits) {
  return half_to_float(static_cast<std::uint16_t>(bits << 8));
}

namespace {

#if defined(__x86_64__)
__attribute__((target("avx,f16c"))) std::size_t to_half_f16c(std::span<const float> from,
                                                             std::span<std::uint16_t> to) {
  std::size_t i = 0;
  for (; i + 8 <= from.size(); i += 8) {
    const __m128i half = _mm256_cvtps_ph(_mm256_loadu_ps(&from[i]), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(static_cast<__m128i*>(static_cast<void*>(&to[i])), half);
  }
  return i;
}

__attribute__((target("avx,f16c"))) std::size_t from_half_f16c(std::span<const std::uint16_t> from,
                                                               std::span<float> to) {
  std::size_t i = 0;
  for (; i + 8 <= from.size(); i += 8) {
    const __m128i half =
        _mm_loadu_si128(static_cast<const __m128i*>(static_cast<const void*>(&from[i])));
    _mm256_storeu_ps(&to[i], _mm256_cvtph_ps(half));
  }
  return i;
}

bool has_f16c() {
  // Every processor with AVX2 has F16C, which clang 16 cannot be asked for by name.
  static const bool available = __builtin_cpu_supports("avx2");
  return available;
}
#endif

}  // namespace

void float_to_half(std::span<const float> from, std::span<std::uint16_t> to) {
  assert(from.size() == to.size());
  std::size_t i = 0;
#if defined(__x86_64__)
  if (has_f16c()) i = to_half_f16c(from, to);
#endif
  for (; i < from.size(); ++i) to[i] = float_to_half(from[i]);
}

void half_to_float(std::span<const std::uint16_t> from, std::span<float> to) {
  assert(from.size() == to.size());
  std::size_t i = 0;
#if defined(__x86_64__)
  if (has_f16c()) i = from_half_f16c(from, to);
#endif
  for (; i < from.size(); ++i) to[i] = half_to_float(from[i]);
}

void float_to_bfloat16(std::span<const float> from, std::span<std::uint16_t> to) {
  assert(from.size() == to.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = float_to_bfloat16(from[i]);
}

void bfloat16_to_float(std::span<const std::uint16_t> from, std::span<float> to) {
  assert(from.size() == to.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = bfloat16_to_float(from[i]);
}

}  // namespace sinter
