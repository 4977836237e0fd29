#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sinter::adapters {

/// Replaces some rows of a matrix by mixtures of themselves: new row i is the sum of
/// mixing[i,j] * row j.
///
/// matrix: whole rows of `columns`. rows: their numbers, each once. mixing: a square.
void mix_rows(std::span<float> matrix, std::int64_t columns, std::span<const std::size_t> rows,
              std::span<const float> mixing);

}  // namespace sinter::adapters
