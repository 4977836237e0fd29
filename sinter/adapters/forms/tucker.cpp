#include "sinter/adapters/forms/tucker.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

#include "sinter/base/error.h"

namespace sinter::adapters {
namespace {

constexpr std::int64_t kMostRank = 1024;

}  // namespace

void require_core_rank(std::int64_t rank) {
  if (rank >= 1 && rank <= kMostRank) return;
  throw Error(ErrorCode::kShapeMismatch,
              fmt::format("the core of a Tucker decomposition has rank {}, expected 1 to {}", rank,
                          kMostRank));
}

std::vector<float> contract_core(const TuckerCore& shape, const std::vector<float>& core,
                                 const std::vector<float>& inputs) {
  const auto left = static_cast<std::size_t>(shape.left);
  const auto right = static_cast<std::size_t>(shape.right);
  const auto width = static_cast<std::size_t>(shape.inputs);
  const auto kernel = static_cast<std::size_t>(shape.kernel);
  std::vector<float> result(left * width * kernel);
  for (std::size_t l = 0; l < left; ++l)
    for (std::size_t r = 0; r < right; ++r)
      for (std::size_t i = 0; i < width; ++i)
        for (std::size_t k = 0; k < kernel; ++k) {
          float& sum = result[(l * width + i) * kernel + k];
          sum = std::fma(core[(l * right + r) * kernel + k], inputs[r * width + i], sum);
        }
  return result;
}

}  // namespace sinter::adapters
