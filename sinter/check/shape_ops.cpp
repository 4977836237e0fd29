#include "sinter/check/shape_ops.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sinter/check/shape_rules.h"

namespace sinter::check {
namespace {

// No tensor of a picture has more along one side; sums and products of such stay far from overflow.
constexpr double kLongest = 1e9;

// Sizes come from files: what no tensor has is unknown, and never a reason to overflow.
Results sane(Results results) {
  for (std::optional<Sketch>& result : results) {
    if (!result) continue;
    const bool fits = std::ranges::all_of(result->shape, [](std::int64_t extent) {
      return extent >= 0 && static_cast<double>(extent) <= kLongest;
    });
    if (!fits || result->shape.size() > 16) {
      result.reset();
      continue;
    }
    constexpr std::size_t kNumbers = 1024;
    if (result->numbers && result->numbers->size() > kNumbers) result->numbers.reset();
  }
  return results;
}

const std::map<std::string_view, ShapeRule>& table() {
  static const std::map<std::string_view, ShapeRule> rules = [] {
    std::map<std::string_view, ShapeRule> all;
    for (const auto& rows : {math_rules(), move_rules(), cut_rules(), layer_rules()}) {
      for (const ShapeRow& row : rows) all.emplace(row.op, row.rule);
    }
    return all;
  }();
  return rules;
}

}  // namespace

std::optional<std::vector<std::int64_t>> sizes_of(const Sketch* sketch) {
  if (sketch == nullptr || !sketch->numbers) return std::nullopt;
  std::vector<std::int64_t> result;
  for (const double number : *sketch->numbers) {
    if (std::isnan(number)) return std::nullopt;
    // INT64_MAX stands for the end of a dimension.
    result.push_back(static_cast<std::int64_t>(std::clamp(number, -kLongest, kLongest)));
  }
  return result;
}

std::optional<std::vector<std::int64_t>> integers(const graph::OutlineNode& node,
                                                  std::string_view attribute,
                                                  const Operands& operands, std::size_t index) {
  if (const graph::OutlineAttribute* found = node.attribute(attribute)) {
    const Sketch sketch{{static_cast<std::int64_t>(found->numbers.size())}, found->numbers, true};
    return sizes_of(&sketch);
  }
  return sizes_of(operand(operands, index));
}

std::optional<std::int64_t> volume(const std::vector<std::int64_t>& shape) {
  double result = 1;
  for (const std::int64_t extent : shape) result *= static_cast<double>(extent);
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (!(result >= 0 && result <= kExact)) return std::nullopt;
  return static_cast<std::int64_t>(result);
}

std::size_t axis_of(std::int64_t axis, std::size_t rank) {
  const auto size = static_cast<std::int64_t>(rank);
  if (axis < -size || axis >= std::max<std::int64_t>(size, 1)) {
    throw Misfit(fmt::format("names dimension {} of {}", axis, rank));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
}

std::vector<std::int64_t> broadcast(const std::vector<std::int64_t>& a,
                                    const std::vector<std::int64_t>& b) {
  std::vector<std::int64_t> result(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) {
      throw Misfit(
          fmt::format("joins {} and {}, where {} meets {}", shape_text(a), shape_text(b), x, y));
    }
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ","));
}

const Sketch* operand(const Operands& operands, std::size_t i) {
  return i < operands.size() ? operands[i] : nullptr;
}

ShapeRule shape_rule(std::string_view op) {
  const auto found = table().find(op);
  return found == table().end() ? nullptr : found->second;
}

std::vector<std::optional<Sketch>> follow(ShapeRule rule, const graph::OutlineNode& node,
                                          const Operands& operands, std::int64_t opset) {
  return sane(rule(node, operands, opset));
}

}  // namespace sinter::check
