// Operators that join, cut and pick.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sinter/check/shape_rules.h"

namespace sinter::check {
using graph::OutlineNode;
namespace {

using Sizes = std::vector<std::int64_t>;

Results concat(const OutlineNode& node, const Operands& operands, std::int64_t) {
  if (operands.empty() || std::ranges::find(operands, nullptr) != operands.end()) return {};
  Sketch result = *operands[0];
  if (result.shape.empty()) throw Misfit("joins scalars");
  const std::size_t axis =
      axis_of(static_cast<std::int64_t>(std::clamp(node.number("axis", 0), -99.0, 99.0)),
              result.shape.size());
  for (std::size_t k = 1; k < operands.size(); ++k) {
    const Sketch& next = *operands[k];
    if (next.shape.size() != result.shape.size()) {
      throw Misfit(
          fmt::format("joins {} and {}", shape_text(result.shape), shape_text(next.shape)));
    }
    for (std::size_t i = 0; i < next.shape.size(); ++i) {
      if (i == axis || next.shape[i] == result.shape[i]) continue;
      throw Misfit(fmt::format("joins {} and {} along dimension {}, where {} != {}",
                               shape_text(result.shape), shape_text(next.shape), axis,
                               result.shape[i], next.shape[i]));
    }
    result.shape[axis] += next.shape[axis];
    if (result.numbers && next.numbers && result.shape.size() == 1) {
      result.numbers->insert(result.numbers->end(), next.numbers->begin(), next.numbers->end());
    } else {
      result.numbers.reset();
    }
  }
  return {result};
}

Results split(const OutlineNode& node, const Operands& operands, std::int64_t) {
  const Sketch* x = operand(operands, 0);
  if (x == nullptr || x->shape.empty()) return {};
  const std::size_t axis = axis_of(
      static_cast<std::int64_t>(std::clamp(node.number("axis", 0), -99.0, 99.0)), x->shape.size());
  const auto count = static_cast<std::int64_t>(node.outputs.size());
  const bool given =
      node.attribute("split") != nullptr || (node.inputs.size() > 1 && !node.inputs[1].empty());
  Sizes parts;
  if (given) {
    const auto sizes = integers(node, "split", operands, 1);
    if (!sizes) return {};
    parts = *sizes;
    const std::int64_t sum = std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
    if (sum != x->shape[axis]) {
      throw Misfit(fmt::format("cuts {} of {} into parts of {} together", x->shape[axis],
                               shape_text(x->shape), sum));
    }
  } else {
    const std::int64_t part = (x->shape[axis] + count - 1) / std::max<std::int64_t>(count, 1);
    for (std::int64_t i = 0; i < count; ++i) {
      parts.push_back(std::max<std::int64_t>(0, std::min(part, x->shape[axis] - i * part)));
    }
  }
  Results results;
  for (const std::int64_t part : parts) {
    Sketch piece{x->shape, {}, x->integer};
    piece.shape[axis] = part;
    results.emplace_back(std::move(piece));
  }
  return results;
}

struct Cut {
  std::int64_t begin;
  std::int64_t step;
  std::int64_t count;
};

Cut cut_of(std::int64_t begin, std::int64_t end, std::int64_t step, std::int64_t extent) {
  if (begin < 0) begin += extent;
  if (end < 0) end += extent;
  if (step > 0) {
    begin = std::clamp<std::int64_t>(begin, 0, extent);
    end = std::clamp<std::int64_t>(end, 0, extent);
    return {begin, step, std::max<std::int64_t>(0, (end - begin + step - 1) / step)};
  }
  begin = std::clamp<std::int64_t>(begin, 0, extent - 1);
  end = std::clamp<std::int64_t>(end, -1, extent - 1);
  return {begin, step, std::max<std::int64_t>(0, (begin - end - step - 1) / -step)};
}

Results slice(const OutlineNode& node, const Operands& operands, std::int64_t) {
  const Sketch* x = operand(operands, 0);
  const auto starts = integers(node, "starts", operands, 1);
  const auto ends = integers(node, "ends", operands, 2);
  if (x == nullptr || !starts || !ends || starts->size() != ends->size()) return {};
  Sizes axes(starts->size());
  std::iota(axes.begin(), axes.end(), 0);
  const bool given =
      node.attribute("axes") != nullptr || (node.inputs.size() > 3 && !node.inputs[3].empty());
  if (given) {
    const auto named = integers(node, "axes", operands, 3);
    if (!named || named->size() != starts->size()) return {};
    axes = *named;
  }
  Sizes steps(starts->size(), 1);
  if (node.inputs.size() > 4 && !node.inputs[4].empty()) {
    const auto named = sizes_of(operand(operands, 4));
    if (!named || named->size() != starts->size()) return {};
    steps = *named;
  }
  Sketch result{x->shape, {}, x->integer};
  if (x->shape.empty()) return {};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = axis_of(axes[i], x->shape.size());
    if (steps[i] == 0) return {};
    const Cut cut = cut_of((*starts)[i], (*ends)[i], steps[i], x->shape[axis]);
    result.shape[axis] = cut.count;
    if (x->shape.size() == 1 && x->numbers &&
        x->numbers->size() == static_cast<std::size_t>(x->shape[0])) {
      std::vector<double>& numbers = result.numbers.emplace();
      for (std::int64_t k = 0; k < cut.count; ++k) {
        numbers.push_back((*x->numbers)[static_cast<std::size_t>(cut.begin + k * cut.step)]);
      }
    }
  }
  return {result};
}

Results gather(const OutlineNode& node, const Operands& operands, std::int64_t) {
  const Sketch* x = operand(operands, 0);
  const Sketch* indices = operand(operands, 1);
  if (x == nullptr || indices == nullptr || x->shape.empty()) return {};
  const std::size_t axis = axis_of(
      static_cast<std::int64_t>(std::clamp(node.number("axis", 0), -99.0, 99.0)), x->shape.size());
  const auto at = x->shape.begin() + static_cast<std::ptrdiff_t>(axis);
  Sketch result{Sizes(x->shape.begin(), at), {}, x->integer};
  result.shape.insert(result.shape.end(), indices->shape.begin(), indices->shape.end());
  result.shape.insert(result.shape.end(), at + 1, x->shape.end());
  const auto places = sizes_of(indices);
  if (x->shape.size() != 1 || !x->numbers || !places) return {result};
  std::vector<double> numbers;
  for (std::int64_t place : *places) {
    if (place < 0) place += x->shape[0];
    if (place < 0 || static_cast<std::size_t>(place) >= x->numbers->size()) {
      throw Misfit(fmt::format("takes element {} of {}", place, x->numbers->size()));
    }
    numbers.push_back((*x->numbers)[static_cast<std::size_t>(place)]);
  }
  result.numbers = std::move(numbers);
  return {result};
}

Results pad(const OutlineNode& node, const Operands& operands, std::int64_t) {
  const Sketch* x = operand(operands, 0);
  const auto pads = integers(node, "pads", operands, 1);
  if (x == nullptr || !pads || (node.inputs.size() > 3 && !node.inputs[3].empty())) return {};
  const std::size_t rank = x->shape.size();
  if (pads->size() != 2 * rank) {
    throw Misfit(fmt::format("pads {} dimensions of {}", pads->size() / 2, shape_text(x->shape)));
  }
  Sketch result{x->shape, {}, x->integer};
  for (std::size_t i = 0; i < rank; ++i) result.shape[i] += (*pads)[i] + (*pads)[i + rank];
  return {result};
}

}  // namespace

std::vector<ShapeRow> cut_rules() {
  return {{"Concat", concat}, {"Split", split}, {"Slice", slice}, {"Gather", gather}, {"Pad", pad}};
}

}  // namespace sinter::check
