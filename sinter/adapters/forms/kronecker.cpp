#include "sinter/adapters/forms/kronecker.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "sinter/adapters/arithmetic/factored.h"
#include "sinter/adapters/file/values.h"
#include "sinter/adapters/forms/tucker.h"
#include "sinter/base/error.h"
#include "sinter/base/message.h"

namespace sinter::adapters {
namespace {

/// Extents of the two factors.
struct KroneckerShape {
  std::int64_t rows1, inputs1;
  std::int64_t rows2, inputs2;
  std::optional<std::int64_t> rank;  // of the factors of a factor
};

class KroneckerDelta final : public Delta {
 public:
  KroneckerDelta(const KroneckerShape& shape, std::int64_t kernel, std::vector<float> left,
                 std::vector<float> right, float scale)
      : rows2_(static_cast<std::size_t>(shape.rows2)),
        width1_(static_cast<std::size_t>(shape.inputs1)),
        width2_(static_cast<std::size_t>(shape.inputs2 * kernel)),
        left_(std::move(left)),
        right_(std::move(right)),
        scale_(scale) {}

  void add(std::span<float> rows, std::int64_t first, float factor) const override {
    const std::size_t columns = width1_ * width2_;
    auto row = static_cast<std::size_t>(first);
    for (std::size_t begin = 0; begin < rows.size(); begin += columns, ++row) {
      const float* const right = &right_[(row % rows2_) * width2_];
      for (std::size_t block = 0; block < width1_; ++block) {
        const float weight = factor * scale_ * left_[(row / rows2_) * width1_ + block];
        float* const out = &rows[begin + block * width2_];
        for (std::size_t i = 0; i < width2_; ++i) out[i] = std::fma(weight, right[i], out[i]);
      }
    }
  }

 private:
  std::size_t rows2_;
  std::size_t width1_;
  std::size_t width2_;
  std::vector<float> left_;   // [rows1, inputs1]
  std::vector<float> right_;  // [rows2, inputs2 * kernel]
  float scale_;
};

/// The shape of the first factor decides that of the second.
KroneckerShape shape_of(const ModuleTensors& module, const MatrixShape& weight) {
  KroneckerShape shape{};
  if (module.has(TensorRole::kKronecker1)) {
    shape.rows1 = module.extent(TensorRole::kKronecker1, 0);
    shape.inputs1 = module.extent(TensorRole::kKronecker1, 1);
    module.require(TensorRole::kKronecker1, shape.rows1, shape.inputs1);
  } else {
    const std::int64_t rank = module.extent(TensorRole::kKronecker1B, 0);
    shape.rank = rank;
    shape.rows1 = module.extent(TensorRole::kKronecker1A, 0);
    shape.inputs1 = module.extent(TensorRole::kKronecker1B, 1);
    module.require(TensorRole::kKronecker1A, shape.rows1, rank);
    module.require(TensorRole::kKronecker1B, rank, shape.inputs1);
  }
  if (weight.rows % shape.rows1 != 0 || weight.inputs % shape.inputs1 != 0)
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("the first factor of '{}' is {}, which does not divide {}",
                            shown(module.name()), to_string(Shape{shape.rows1, shape.inputs1}),
                            matrix_text(weight)));
  shape.rows2 = weight.rows / shape.rows1;
  shape.inputs2 = weight.inputs / shape.inputs1;
  if (!module.has(TensorRole::kKronecker2)) shape.rank = module.extent(TensorRole::kKronecker2B, 0);
  return shape;
}

std::vector<float> load_product(const ModuleTensors& module, TensorRole left, TensorRole right,
                                std::int64_t rank, std::int64_t elements) {
  const Factored factors{.rank = rank, .left = module.values(left), .right = module.values(right)};
  std::vector<float> result(static_cast<std::size_t>(elements));
  factors.add(result, 0, 1.0F);
  return result;
}

std::vector<float> load_second(const ModuleTensors& module, const KroneckerShape& shape,
                               std::int64_t kernel) {
  if (module.has(TensorRole::kKronecker2)) return module.values(TensorRole::kKronecker2);
  const std::int64_t elements = shape.rows2 * shape.inputs2 * kernel;
  if (!module.has(TensorRole::kKronecker2Core))
    return load_product(module, TensorRole::kKronecker2A, TensorRole::kKronecker2B, *shape.rank,
                        elements);
  // The outer factor is stored [rank, rows].
  const std::int64_t outer = module.extent(TensorRole::kKronecker2A, 0);
  const Factored factors{
      .rank = outer,
      .left = transposed(module.values(TensorRole::kKronecker2A), outer, shape.rows2),
      .right = contract_core(
          {.left = outer, .right = *shape.rank, .inputs = shape.inputs2, .kernel = kernel},
          module.values(TensorRole::kKronecker2Core), module.values(TensorRole::kKronecker2B))};
  std::vector<float> result(static_cast<std::size_t>(elements));
  factors.add(result, 0, 1.0F);
  return result;
}

}  // namespace

void check_kronecker(const ModuleTensors& module, const MatrixShape& weight) {
  const KroneckerShape shape = shape_of(module, weight);
  if (module.has(TensorRole::kKronecker2)) {
    module.require(TensorRole::kKronecker2, shape.rows2, shape.inputs2 * weight.kernel);
    return;
  }
  if (!module.has(TensorRole::kKronecker2Core)) {
    module.require(TensorRole::kKronecker2B, *shape.rank, shape.inputs2 * weight.kernel);
    module.require(TensorRole::kKronecker2A, shape.rows2, *shape.rank);
    return;
  }
  const std::int64_t outer = module.extent(TensorRole::kKronecker2A, 0);
  require_core_rank(outer);
  module.require(TensorRole::kKronecker2B, *shape.rank, shape.inputs2);
  module.require(TensorRole::kKronecker2A, outer, shape.rows2);
  module.require(TensorRole::kKronecker2Core, outer, *shape.rank * weight.kernel);
}

std::unique_ptr<Delta> load_kronecker(const ModuleTensors& module, const MatrixShape& weight) {
  const KroneckerShape shape = shape_of(module, weight);
  std::vector<float> left =
      module.has(TensorRole::kKronecker1)
          ? module.values(TensorRole::kKronecker1)
          : load_product(module, TensorRole::kKronecker1A, TensorRole::kKronecker1B,
                         module.extent(TensorRole::kKronecker1B, 0), shape.rows1 * shape.inputs1);
  const float scale = shape.rank ? module.scale(*shape.rank) : module.scalar();
  return std::make_unique<KroneckerDelta>(shape, weight.kernel, std::move(left),
                                          load_second(module, shape, weight.kernel), scale);
}

}  // namespace sinter::adapters
