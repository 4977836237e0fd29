#include "sinter/adapters/forms/orthogonal.h"

#include <numeric>
#include <utility>

#include "sinter/adapters/arithmetic/cayley.h"
#include "sinter/adapters/arithmetic/row_mixing.h"

namespace sinter::adapters {
namespace {

class BlockRotation final : public Change {
 public:
  BlockRotation(std::vector<float> mixings, std::int64_t size, std::int64_t columns)
      : mixings_(std::move(mixings)), size_(static_cast<std::size_t>(size)), columns_(columns) {}

  void apply(std::span<float> rows, std::int64_t /*first*/) const override {
    std::vector<std::size_t> of_block(size_);
    const std::size_t area = size_ * size_;
    for (std::size_t block = 0; block * area < mixings_.size(); ++block) {
      std::iota(of_block.begin(), of_block.end(), block * size_);
      mix_rows(rows, columns_, of_block, std::span(mixings_).subspan(block * area, area));
    }
  }

 private:
  std::vector<float> mixings_;  // [count, size, size]
  std::size_t size_;
  std::int64_t columns_;
};

}  // namespace

void check_orthogonal(const ModuleTensors& module, const MatrixShape& weight) {
  module.require_blocks(TensorRole::kBlocks, 3, weight.rows);
  if (module.has(TensorRole::kRescale)) module.require(TensorRole::kRescale, weight.rows, 1);
}

std::unique_ptr<Change> load_orthogonal(const ModuleTensors& module, const MatrixShape& weight,
                                        float strength) {
  const std::int64_t size = module.extent(TensorRole::kBlocks, 1);
  const double constraint = static_cast<double>(module.value(TensorRole::kAlpha).value_or(0)) *
                            static_cast<double>(weight.rows);
  const std::vector<float> rotations =
      cayley_rotations(module.values(TensorRole::kBlocks), size, constraint);
  std::vector<float> rescale(static_cast<std::size_t>(weight.rows), 1.0F);
  if (module.has(TensorRole::kRescale)) rescale = module.values(TensorRole::kRescale);
  // The strength and the rescaling go into the matrix that mixes the rows of a block.
  std::vector<float> mixings(rotations.size());
  const auto width = static_cast<std::size_t>(size);
  for (std::size_t row = 0; row < rescale.size(); ++row) {
    const std::size_t block = (row / width) * width * width;
    const std::size_t i = row % width;
    for (std::size_t j = 0; j < width; ++j)
      mixings[block + i * width + j] = strength * rescale[row] * rotations[block + j * width + i] +
                                       (i == j ? 1 - strength : 0.0F);
  }
  return std::make_unique<BlockRotation>(std::move(mixings), size, weight.columns());
}

}  // namespace sinter::adapters
