#include "sinter/adapters/forms/scaling.h"

#include <utility>

namespace sinter::adapters {
namespace {

class RowScaling final : public Change {
 public:
  RowScaling(std::vector<float> factors, std::int64_t columns)
      : factors_(std::move(factors)), columns_(static_cast<std::size_t>(columns)) {}

  void apply(std::span<float> rows, std::int64_t first) const override {
    auto row = static_cast<std::size_t>(first);
    for (std::size_t begin = 0; begin < rows.size(); begin += columns_, ++row)
      for (float& value : rows.subspan(begin, columns_)) value *= factors_[row];
  }

 private:
  std::vector<float> factors_;
  std::size_t columns_;
};

class ColumnScaling final : public Change {
 public:
  explicit ColumnScaling(std::vector<float> factors) : factors_(std::move(factors)) {}

  void apply(std::span<float> rows, std::int64_t /*first*/) const override {
    for (std::size_t begin = 0; begin < rows.size(); begin += factors_.size())
      for (std::size_t i = 0; i < factors_.size(); ++i) rows[begin + i] *= factors_[i];
  }

 private:
  std::vector<float> factors_;  // one a column
};

/// Elements of the scaling: its axes of 1 do not matter.
void require_length(const ModuleTensors& module, std::int64_t length) {
  const std::int64_t first = module.extent(TensorRole::kScaling, 0);
  if (first == length)
    module.require(TensorRole::kScaling, length, 1);
  else
    module.require(TensorRole::kScaling, 1, length);
}

}  // namespace

void check_scaling(const ModuleTensors& module, const MatrixShape& weight) {
  const bool on_input = module.value(TensorRole::kOnInput).value_or(0) != 0;
  require_length(module, on_input ? weight.inputs : weight.rows);
}

std::unique_ptr<Change> load_scaling(const ModuleTensors& module, const MatrixShape& weight,
                                     float strength) {
  std::vector<float> factors = module.values(TensorRole::kScaling);
  for (float& factor : factors) factor = 1 + strength * factor;
  if (module.value(TensorRole::kOnInput).value_or(0) == 0)
    return std::make_unique<RowScaling>(std::move(factors), weight.columns());
  std::vector<float> of_columns;
  of_columns.reserve(static_cast<std::size_t>(weight.columns()));
  for (const float factor : factors)
    of_columns.insert(of_columns.end(), static_cast<std::size_t>(weight.kernel), factor);
  return std::make_unique<ColumnScaling>(std::move(of_columns));
}

}  // namespace sinter::adapters
