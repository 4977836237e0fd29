#include "sinter/adapters/forms/butterfly.h"

#include <fmt/format.h>

#include <utility>

#include "sinter/adapters/arithmetic/cayley.h"
#include "sinter/adapters/arithmetic/row_mixing.h"
#include "sinter/base/error.h"
#include "sinter/base/message.h"

namespace sinter::adapters {
namespace {

struct ButterflyShape {
  std::size_t stages;
  std::size_t count;  // blocks of a stage
  std::size_t size;   // rows of a block
  std::int64_t columns;
};

class Butterfly final : public Change {
 public:
  Butterfly(const ButterflyShape& shape, std::vector<float> mixings, std::vector<float> rescale)
      : shape_(shape), mixings_(std::move(mixings)), rescale_(std::move(rescale)) {}

  void apply(std::span<float> rows, std::int64_t /*first*/) const override {
    const std::size_t area = shape_.size * shape_.size;
    for (std::size_t stage = 0; stage < shape_.stages; ++stage)
      for (std::size_t block = 0; block < shape_.count; ++block)
        mix_rows(rows, shape_.columns, rows_of(stage, block),
                 std::span(mixings_).subspan((stage * shape_.count + block) * area, area));
    const auto columns = static_cast<std::size_t>(shape_.columns);
    for (std::size_t i = 0; i < rescale_.size(); ++i)
      for (float& value : rows.subspan(i * columns, columns)) value *= rescale_[i];
  }

 private:
  /// A stage cuts the rows into pairs of runs and takes one row of either run in turn.
  std::vector<std::size_t> rows_of(std::size_t stage, std::size_t block) const {
    const std::size_t run = (shape_.size / 2) << stage;
    std::vector<std::size_t> rows(shape_.size);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t place = block * shape_.size + i;
      const std::size_t inside = place % (2 * run);
      rows[i] = place - inside + (inside % 2) * run + inside / 2;
    }
    return rows;
  }

  ButterflyShape shape_;
  std::vector<float> mixings_;  // [stages, count, size, size]
  std::vector<float> rescale_;  // of the rows; empty: none
};

}  // namespace

void check_butterfly(const ModuleTensors& module, const MatrixShape& weight) {
  const std::int64_t stages = module.extent(TensorRole::kBlocks, 0);
  const std::int64_t size = module.extent(TensorRole::kBlocks, 2);
  module.require_blocks(TensorRole::kBlocks, 4, weight.rows);
  // More stages than halves of the rows have nothing left to pair.
  const bool pairs = size % 2 == 0 && stages < 32 && weight.rows % ((size / 2) << stages) == 0;
  if (!pairs)
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("'{}' has {} stages with blocks of {}, which do not pair {} rows",
                            shown(module.name()), stages, size, weight.rows));
  if (module.has(TensorRole::kRescale)) module.require(TensorRole::kRescale, weight.rows, 1);
}

std::unique_ptr<Change> load_butterfly(const ModuleTensors& module, const MatrixShape& weight,
                                       float strength) {
  const std::int64_t size = module.extent(TensorRole::kBlocks, 2);
  const double constraint = static_cast<double>(module.value(TensorRole::kAlpha).value_or(0)) *
                            static_cast<double>(weight.rows);
  std::vector<float> mixings =
      cayley_rotations(module.values(TensorRole::kBlocks), size, constraint);
  const auto width = static_cast<std::size_t>(size);
  for (std::size_t i = 0; i < mixings.size(); ++i) {
    const bool diagonal = (i / width) % width == i % width;
    mixings[i] = strength * mixings[i] + (diagonal ? 1 - strength : 0.0F);
  }
  std::vector<float> rescale;
  if (module.has(TensorRole::kRescale)) rescale = module.values(TensorRole::kRescale);
  for (float& factor : rescale) factor = 1 + strength * (factor - 1);
  const ButterflyShape shape{
      .stages = static_cast<std::size_t>(module.extent(TensorRole::kBlocks, 0)),
      .count = static_cast<std::size_t>(module.extent(TensorRole::kBlocks, 1)),
      .size = width,
      .columns = weight.columns()};
  return std::make_unique<Butterfly>(shape, std::move(mixings), std::move(rescale));
}

}  // namespace sinter::adapters
