#include "sinter/adapters/forms/low_rank.h"

#include <fmt/format.h>

#include <utility>

#include "sinter/adapters/arithmetic/factored.h"
#include "sinter/adapters/file/values.h"
#include "sinter/adapters/forms/tucker.h"
#include "sinter/base/error.h"
#include "sinter/base/message.h"

namespace sinter::adapters {
namespace {

class LowRankDelta final : public Delta {
 public:
  LowRankDelta(Factored factors, float scale) : factors_(std::move(factors)), scale_(scale) {}

  void add(std::span<float> rows, std::int64_t first, float factor) const override {
    factors_.add(rows, first, factor * scale_);
  }

 private:
  Factored factors_;
  float scale_;
};

class VectorDelta final : public Delta {
 public:
  VectorDelta(std::vector<float> values, float scale) : values_(std::move(values)), scale_(scale) {}

  void add(std::span<float> rows, std::int64_t first, float factor) const override {
    const auto begin = static_cast<std::size_t>(first);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] += factor * scale_ * values_[begin + i];
  }

 private:
  std::vector<float> values_;
  float scale_;
};

std::int64_t rank_of(const ModuleTensors& module) { return module.extent(TensorRole::kDown, 0); }

}  // namespace

void check_low_rank(const ModuleTensors& module, const MatrixShape& weight) {
  const std::int64_t rank = rank_of(module);
  if (!module.has(TensorRole::kMid)) {
    module.require(TensorRole::kDown, rank, weight.columns());
    module.require(TensorRole::kUp, weight.rows, rank);
    return;
  }
  const std::int64_t outer = module.extent(TensorRole::kUp, 1);
  require_core_rank(outer);
  module.require(TensorRole::kDown, rank, weight.inputs);
  module.require(TensorRole::kUp, weight.rows, outer);
  module.require(TensorRole::kMid, outer, rank * weight.kernel);
}

std::unique_ptr<Delta> load_low_rank(const ModuleTensors& module, const MatrixShape& weight) {
  const std::int64_t rank = rank_of(module);
  Factored factors{.rank = rank,
                   .left = module.values(TensorRole::kUp),
                   .right = module.values(TensorRole::kDown)};
  if (module.has(TensorRole::kMid)) {
    factors.rank = module.extent(TensorRole::kUp, 1);
    factors.right = contract_core(
        {.left = factors.rank, .right = rank, .inputs = weight.inputs, .kernel = weight.kernel},
        module.values(TensorRole::kMid), factors.right);
  }
  return std::make_unique<LowRankDelta>(std::move(factors), module.scale(rank));
}

void check_table_low_rank(const ModuleTensors& module, const MatrixShape& weight) {
  const std::int64_t rank = module.extent(TensorRole::kRowsDown, 0);
  module.require(TensorRole::kRowsDown, rank, weight.rows);
  module.require(TensorRole::kRowsUp, weight.columns(), rank);
}

std::unique_ptr<Delta> load_table_low_rank(const ModuleTensors& module, const MatrixShape& weight) {
  const std::int64_t rank = module.extent(TensorRole::kRowsDown, 0);
  Factored factors{.rank = rank,
                   .left = transposed(module.values(TensorRole::kRowsDown), rank, weight.rows),
                   .right = transposed(module.values(TensorRole::kRowsUp), weight.columns(), rank)};
  return std::make_unique<LowRankDelta>(std::move(factors), module.scale(rank));
}

void check_low_rank_bias(const ModuleTensors& module, std::int64_t rows) {
  module.require(TensorRole::kUpBias, rows, 1);
}

std::unique_ptr<Delta> load_low_rank_bias(const ModuleTensors& module) {
  return std::make_unique<VectorDelta>(module.values(TensorRole::kUpBias),
                                       module.scale(rank_of(module)));
}

}  // namespace sinter::adapters
