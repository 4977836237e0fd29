#include "sinter/adapters/forms/hadamard.h"

#include <array>
#include <utility>

#include "sinter/adapters/arithmetic/factored.h"
#include "sinter/adapters/file/values.h"
#include "sinter/adapters/forms/tucker.h"

namespace sinter::adapters {
namespace {

struct Half {
  TensorRole a;
  TensorRole b;
  TensorRole core;
};
constexpr std::array<Half, 2> kHalves{
    Half{TensorRole::kHadamard1A, TensorRole::kHadamard1B, TensorRole::kHadamard1Core},
    Half{TensorRole::kHadamard2A, TensorRole::kHadamard2B, TensorRole::kHadamard2Core}};

class HadamardDelta final : public Delta {
 public:
  HadamardDelta(std::array<Factored, 2> halves, float scale)
      : halves_(std::move(halves)), scale_(scale) {}

  void add(std::span<float> rows, std::int64_t first, float factor) const override {
    std::vector<float> left(rows.size());
    std::vector<float> right(rows.size());
    halves_[0].add(left, first, 1.0F);
    halves_[1].add(right, first, 1.0F);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] += factor * scale_ * (left[i] * right[i]);
  }

 private:
  std::array<Factored, 2> halves_;
  float scale_;
};

void check_half(const ModuleTensors& module, const Half& half, const MatrixShape& weight) {
  const std::int64_t rank = module.extent(half.b, 0);
  if (!module.has(half.core)) {
    module.require(half.a, weight.rows, rank);
    module.require(half.b, rank, weight.columns());
    return;
  }
  const std::int64_t outer = module.extent(half.a, 0);
  require_core_rank(outer);
  module.require(half.a, outer, weight.rows);
  module.require(half.b, rank, weight.inputs);
  module.require(half.core, outer, rank * weight.kernel);
}

Factored load_half(const ModuleTensors& module, const Half& half, const MatrixShape& weight) {
  const std::int64_t rank = module.extent(half.b, 0);
  Factored factors{.rank = rank, .left = module.values(half.a), .right = module.values(half.b)};
  if (!module.has(half.core)) return factors;
  factors.rank = module.extent(half.a, 0);
  factors.left = transposed(factors.left, factors.rank, weight.rows);
  factors.right = contract_core(
      {.left = factors.rank, .right = rank, .inputs = weight.inputs, .kernel = weight.kernel},
      module.values(half.core), factors.right);
  return factors;
}

}  // namespace

void check_hadamard(const ModuleTensors& module, const MatrixShape& weight) {
  for (const Half& half : kHalves) check_half(module, half, weight);
}

std::unique_ptr<Delta> load_hadamard(const ModuleTensors& module, const MatrixShape& weight) {
  return std::make_unique<HadamardDelta>(
      std::array{load_half(module, kHalves[0], weight), load_half(module, kHalves[1], weight)},
      module.scale(module.extent(TensorRole::kHadamard1B, 0)));
}

}  // namespace sinter::adapters
