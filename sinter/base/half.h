#pragma once

#include <cstdint>
#include <span>

namespace sinter {

/// IEEE 754 binary16 and bfloat16 as bits; conversion to them rounds to nearest, ties to even.
/// NaN stays NaN, overflow becomes infinity, subnormals are kept.
std::uint16_t float_to_half(float value);
float half_to_float(std::uint16_t bits);
std::uint16_t float_to_bfloat16(float value);
float bfloat16_to_float(std::uint16_t bits);

/// The value of the two 8-bit floats that checkpoints use (OCP 8-bit floating point, revision 1.0):
/// E4M3 has no infinities ("fn": only S.1111.111 is NaN), E5M2 is binary16 cut short.
/// Exact in float32, binary16 and bfloat16.
float float8_e4m3_to_float(std::uint8_t bits);
float float8_e5m2_to_float(std::uint8_t bits);

/// The same for runs of equal length; vectorised where the processor has F16C.
void float_to_half(std::span<const float> from, std::span<std::uint16_t> to);
void half_to_float(std::span<const std::uint16_t> from, std::span<float> to);
void float_to_bfloat16(std::span<const float> from, std::span<std::uint16_t> to);
void bfloat16_to_float(std::span<const std::uint16_t> from, std::span<float> to);

}  // namespace sinter
