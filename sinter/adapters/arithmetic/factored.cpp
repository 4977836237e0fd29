#include "sinter/adapters/arithmetic/factored.h"

#include <cstddef>

#include "sinter/adapters/arithmetic/matrix_product.h"

namespace sinter::adapters {

void Factored::add(std::span<float> out, std::int64_t first, float factor) const {
  const auto depth = static_cast<std::size_t>(rank);
  const std::size_t columns = right.size() / depth;
  const std::size_t rows = out.size() / columns;
  const auto begin = static_cast<std::size_t>(first) * depth;
  add_product(out, std::span(left).subspan(begin, rows * depth), right, rank, factor);
}

}  // namespace sinter::adapters
