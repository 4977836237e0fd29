#include "sinter/adapters/arithmetic/matrix_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sinter::adapters {
namespace {

std::vector<float> numbers(std::size_t count, float first) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = std::sin(first + static_cast<float>(i) * 1.7F);
  return values;
}

// The definition, element by element: what every processor has to give to the bit.
std::vector<float> reference(std::vector<float> out, const std::vector<float>& left,
                             const std::vector<float>& right, std::size_t inner, float factor) {
  const std::size_t columns = right.size() / inner;
  for (std::size_t i = 0; i < out.size(); ++i) {
    float sum = 0;
    for (std::size_t k = 0; k < inner; ++k)
      sum = std::fma(left[(i / columns) * inner + k], right[k * columns + i % columns], sum);
    out[i] = std::fma(factor, sum, out[i]);
  }
  return out;
}

TEST(MatrixProduct, IsTheDefinitionToTheBit) {
  // Widths around those of the vectors, rows around those of a block.
  for (const std::size_t columns : {1U, 15U, 16U, 63U, 64U, 65U, 130U})
    for (const std::size_t rows : {1U, 3U, 4U, 5U, 9U})
      for (const std::size_t inner : {1U, 7U, 32U}) {
        const std::vector<float> left = numbers(rows * inner, 0.3F);
        const std::vector<float> right = numbers(inner * columns, 0.7F);
        std::vector<float> out = numbers(rows * columns, 1.1F);
        const std::vector<float> expected = reference(out, left, right, inner, 0.37F);
        add_product(out, left, right, static_cast<std::int64_t>(inner), 0.37F);
        EXPECT_EQ(out, expected) << rows << "x" << inner << "x" << columns;
      }
}

}  // namespace
}  // namespace sinter::adapters
