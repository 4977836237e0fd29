#include "sinter/adapters/forms/dora.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sinter::adapters {
namespace {

TensorRole role_of(const ModuleTensors& module) {
  return module.has(TensorRole::kDoraScale) ? TensorRole::kDoraScale : TensorRole::kDoraMagnitude;
}

/// dora_scale over a norm; a weight of zeros stays one.
float ratio(float scale, double squares) {
  const double norm = std::sqrt(squares);
  return norm == 0 ? 0.0F : static_cast<float>(static_cast<double>(scale) / norm);
}

class DoraOfRows final : public Change {
 public:
  DoraOfRows(std::unique_ptr<Delta> delta, std::vector<float> scales, std::int64_t columns,
             float strength)
      : delta_(std::move(delta)),
        scales_(std::move(scales)),
        columns_(static_cast<std::size_t>(columns)),
        strength_(strength) {}

  void apply(std::span<float> rows, std::int64_t first) const override {
    std::vector<float> directions(rows.begin(), rows.end());
    delta_->add(directions, first, 1.0F);
    auto row = static_cast<std::size_t>(first);
    for (std::size_t begin = 0; begin < rows.size(); begin += columns_, ++row) {
      double squares = 0;
      for (std::size_t i = begin; i < begin + columns_; ++i)
        squares += static_cast<double>(directions[i]) * static_cast<double>(directions[i]);
      const float factor = ratio(scales_[row], squares);
      for (std::size_t i = begin; i < begin + columns_; ++i)
        rows[i] += strength_ * (directions[i] * factor - rows[i]);
    }
  }

 private:
  std::unique_ptr<Delta> delta_;
  std::vector<float> scales_;  // one a row
  std::size_t columns_;
  float strength_;
};

class DoraOfInputs final : public Change {
 public:
  DoraOfInputs(std::unique_ptr<Delta> delta, std::vector<float> scales, std::int64_t kernel,
               float strength)
      : delta_(std::move(delta)),
        scales_(std::move(scales)),
        kernel_(static_cast<std::size_t>(kernel)),
        strength_(strength) {}

  void apply(std::span<float> rows, std::int64_t first) const override {
    std::vector<double> squares(scales_.size());
    for_pieces(rows, first, [&](std::span<float> /*piece*/, std::span<const float> directions) {
      for (std::size_t i = 0; i < directions.size(); ++i)
        squares[input_of(i)] +=
            static_cast<double>(directions[i]) * static_cast<double>(directions[i]);
    });
    std::vector<float> factors(scales_.size());
    for (std::size_t i = 0; i < factors.size(); ++i) factors[i] = ratio(scales_[i], squares[i]);
    for_pieces(rows, first, [&](std::span<float> piece, std::span<const float> directions) {
      for (std::size_t i = 0; i < piece.size(); ++i)
        piece[i] += strength_ * (directions[i] * factors[input_of(i)] - piece[i]);
    });
  }

 private:
  /// The directions are made twice, in pieces of some rows: a second copy of a large convolution
  /// would be too much memory.
  template <typename Use>
  void for_pieces(std::span<float> rows, std::int64_t first, const Use& use) const {
    constexpr std::size_t kRows = 32;
    const std::size_t columns = scales_.size() * kernel_;
    std::vector<float> directions;
    for (std::size_t done = 0; done < rows.size(); done += kRows * columns) {
      const std::span<float> piece =
          rows.subspan(done, std::min(kRows * columns, rows.size() - done));
      directions.assign(piece.begin(), piece.end());
      delta_->add(directions, first + static_cast<std::int64_t>(done / columns), 1.0F);
      use(piece, directions);
    }
  }
  std::size_t input_of(std::size_t element) const { return (element / kernel_) % scales_.size(); }

  std::unique_ptr<Delta> delta_;
  std::vector<float> scales_;  // one an input
  std::size_t kernel_;
  float strength_;
};

}  // namespace

bool is_dora_of_inputs(const ModuleTensors& module, const MatrixShape& weight) {
  const TensorRole role = role_of(module);
  if (role == TensorRole::kDoraMagnitude) return false;
  return module.extent(role, 0) != weight.rows;
}

void check_dora(const ModuleTensors& module, const MatrixShape& weight) {
  const TensorRole role = role_of(module);
  if (is_dora_of_inputs(module, weight))
    module.require(role, 1, weight.inputs);
  else if (module.extent(role, 0) == 1)
    module.require(role, 1, weight.rows);  // PEFT's magnitudes of a convolution
  else
    module.require(role, weight.rows, 1);
}

std::unique_ptr<Change> load_dora(const ModuleTensors& module, const MatrixShape& weight,
                                  std::unique_ptr<Delta> delta, float strength) {
  std::vector<float> scales = module.values(role_of(module));
  if (is_dora_of_inputs(module, weight))
    return std::make_unique<DoraOfInputs>(std::move(delta), std::move(scales), weight.kernel,
                                          strength);
  return std::make_unique<DoraOfRows>(std::move(delta), std::move(scales), weight.columns(),
                                      strength);
}

}  // namespace sinter::adapters
