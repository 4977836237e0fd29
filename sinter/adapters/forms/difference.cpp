#include "sinter/adapters/forms/difference.h"

#include <cmath>
#include <utility>

namespace sinter::adapters {
namespace {

class DifferenceDelta final : public Delta {
 public:
  DifferenceDelta(std::vector<float> values, std::int64_t columns, float scalar)
      : values_(std::move(values)), columns_(static_cast<std::size_t>(columns)), scalar_(scalar) {}

  void add(std::span<float> rows, std::int64_t first, float factor) const override {
    const float* const difference = &values_[static_cast<std::size_t>(first) * columns_];
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i] = std::fma(factor * scalar_, difference[i], rows[i]);
  }

 private:
  std::vector<float> values_;
  std::size_t columns_;
  float scalar_;
};

}  // namespace

void check_difference(const ModuleTensors& module, TensorRole role, const MatrixShape& weight) {
  module.require(role, weight.rows, weight.columns());
}

std::unique_ptr<Delta> load_difference(const ModuleTensors& module, TensorRole role,
                                       const MatrixShape& weight) {
  return std::make_unique<DifferenceDelta>(module.values(role), weight.columns(), module.scalar());
}

}  // namespace sinter::adapters
