#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sinter::adapters {

/// A matrix kept as two factors.
struct Factored {
  std::int64_t rank = 0;
  std::vector<float> left;   // [rows, rank]
  std::vector<float> right;  // [rank, columns]

  /// out += factor * left right, of the rows from `first` on. out: whole rows.
  void add(std::span<float> out, std::int64_t first, float factor) const;
};

}  // namespace sinter::adapters
