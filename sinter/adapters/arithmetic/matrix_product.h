#pragma once

#include <cstdint>
#include <span>

namespace sinter::adapters {

/// out += factor * left right, of row-major matrices.
///
/// out: [rows, columns], left: [rows, inner], right: [inner, columns].
/// Every element is a chain of fused multiply-adds in the order of `inner`, then one with the
/// factor: the same bits on every processor and for every cut of the rows. Processors without such
/// an instruction take a slow way to them.
void add_product(std::span<float> out, std::span<const float> left, std::span<const float> right,
                 std::int64_t inner, float factor);

}  // namespace sinter::adapters
