#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sinter/base/dtype.h"

namespace sinter::adapters {

/// The type that a merged tensor is written in: its own, float16 for 8-bit floats; float32 for all
/// of fewer bits where it is widened.
/// @throws Error{kUnsupported} for types that are no floating numbers.
DType merged_dtype(DType stored, bool widen);

/// Stored elements as float32. from: of any alignment; as many as `to` has.
void load_floats(std::span<const std::byte> from, DType stored, std::span<float> to);

/// float32 as the bytes of a merged type. Returns whether all of them are finite.
bool store_floats(std::span<const float> from, DType type, std::span<std::byte> to);

}  // namespace sinter::adapters
