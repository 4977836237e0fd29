#include "sinter/adapters/arithmetic/row_mixing.h"

#include <algorithm>
#include <vector>

#include "sinter/adapters/arithmetic/matrix_product.h"

namespace sinter::adapters {
namespace {

constexpr std::size_t kStrip = 512;  // columns at a time, so that a copy of the rows stays small

}  // namespace

void mix_rows(std::span<float> matrix, std::int64_t columns, std::span<const std::size_t> rows,
              std::span<const float> mixing) {
  const auto stride = static_cast<std::size_t>(columns);
  std::vector<float> before;
  std::vector<float> after;
  for (std::size_t column = 0; column < stride; column += kStrip) {
    const std::size_t width = std::min(kStrip, stride - column);
    before.resize(rows.size() * width);
    after.assign(rows.size() * width, 0.0F);
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::copy_n(&matrix[rows[i] * stride + column], width, &before[i * width]);
    add_product(after, mixing, before, static_cast<std::int64_t>(rows.size()), 1.0F);
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::copy_n(&after[i * width], width, &matrix[rows[i] * stride + column]);
  }
}

}  // namespace sinter::adapters
