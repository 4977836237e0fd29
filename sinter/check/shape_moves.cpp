// Operators that keep the elements and give them another shape, and those that make them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinter/check/shape_rules.h"

namespace sinter::check {
using graph::OutlineAttribute;
using graph::OutlineNode;
namespace {

using Sizes = std::vector<std::int64_t>;

Results constant(const OutlineNode& node, const Operands&, std::int64_t) {
  for (const OutlineAttribute& attribute : node.attributes) {
    if (attribute.name == "value" && attribute.tensors.size() == 1) {
      const graph::OutlineTensor& tensor = attribute.tensors.front();
      if (tensor.flaw || tensor.sparse) return {};
      return {Sketch{tensor.dims, tensor.values,
                     tensor.type != 1 && tensor.type != 10 && tensor.type != 11}};
    }
    if (attribute.kind == OutlineAttribute::Kind::kNumber) {
      return {Sketch{{}, attribute.numbers, attribute.integer}};
    }
    if (attribute.kind == OutlineAttribute::Kind::kNumbers) {
      return {Sketch{{static_cast<std::int64_t>(attribute.numbers.size())},
                     attribute.numbers,
                     attribute.integer}};
    }
  }
  return {};
}

Results shape(const OutlineNode& node, const Operands& operands, std::int64_t) {
  const Sketch* x = operand(operands, 0);
  if (x == nullptr) return {};
  const auto rank = static_cast<double>(x->shape.size());
  const auto place = [rank](double at) {
    return static_cast<std::ptrdiff_t>(std::clamp(at < 0 ? at + rank : at, 0.0, rank));
  };
  const std::ptrdiff_t begin = place(node.number("start", 0));
  const std::ptrdiff_t end = std::max(begin, place(node.number("end", rank)));
  std::vector<double> numbers(x->shape.begin() + begin, x->shape.begin() + end);
  const auto count = static_cast<std::int64_t>(numbers.size());
  return {Sketch{{count}, std::move(numbers), true}};
}

Results size(const OutlineNode&, const Operands& operands, std::int64_t) {
  const Sketch* x = operand(operands, 0);
  const std::optional<std::int64_t> count = x != nullptr ? volume(x->shape) : std::nullopt;
  if (!count) return {};
  return {Sketch{{}, std::vector<double>{static_cast<double>(*count)}, true}};
}

Results reshape(const OutlineNode& node, const Operands& operands, std::int64_t) {
  const Sketch* x = operand(operands, 0);
  const auto wanted = integers(node, "shape", operands, 1);
  if (x == nullptr || !wanted) return {};
  Sizes target = *wanted;
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (target[i] == 0 && node.number("allowzero", 0) == 0) {
      if (i >= x->shape.size()) {
        throw Misfit(fmt::format("keeps dimension {} of {}", i, shape_text(x->shape)));
      }
      target[i] = x->shape[i];
    }
    if (target[i] == -1) open = i;
  }
  const std::optional<std::int64_t> count = volume(x->shape);
  if (!count) return {};
  if (open) target[*open] = 1;
  const std::optional<std::int64_t> rest = volume(target);
  if (!rest) return {};
  const bool fits = open ? (*rest != 0 && *count % *rest == 0) : *rest == *count;
  if (!fits) {
    throw Misfit(fmt::format("makes {} of {}, which has {} elements", shape_text(*wanted),
                             shape_text(x->shape), *count));
  }
  if (open) target[*open] = *count / *rest;
  return {Sketch{target, x->numbers, x->integer}};
}

Results flatten(const OutlineNode& node, const Operands& operands, std::int64_t) {
  const Sketch* x = operand(operands, 0);
  if (x == nullptr) return {};
  const auto rank = static_cast<std::int64_t>(x->shape.size());
  std::int64_t axis = static_cast<std::int64_t>(std::clamp(node.number("axis", 1), -99.0, 99.0));
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank) throw Misfit(fmt::format("flattens at dimension {}", axis));
  const auto middle = x->shape.begin() + axis;
  const auto front = volume(Sizes(x->shape.begin(), middle));
  const auto back = volume(Sizes(middle, x->shape.end()));
  if (!front || !back) return {};
  return {Sketch{{*front, *back}, x->numbers, x->integer}};
}

Results transpose(const OutlineNode& node, const Operands& operands, std::int64_t) {
  const Sketch* x = operand(operands, 0);
  if (x == nullptr) return {};
  Sketch result{x->shape, {}, x->integer};
  const OutlineAttribute* order = node.attribute("perm");
  if (order == nullptr) {
    std::ranges::reverse(result.shape);
    return {result};
  }
  if (order->numbers.size() != x->shape.size()) {
    throw Misfit(
        fmt::format("reorders {} dimensions of {}", order->numbers.size(), shape_text(x->shape)));
  }
  for (std::size_t i = 0; i < order->numbers.size(); ++i) {
    const double from = std::clamp(order->numbers[i], -99.0, 99.0);
    result.shape[i] = x->shape[axis_of(static_cast<std::int64_t>(from), x->shape.size())];
  }
  return {result};
}

Results unsqueeze(const OutlineNode& node, const Operands& operands, std::int64_t) {
  const Sketch* x = operand(operands, 0);
  const auto axes = integers(node, "axes", operands, 1);
  if (x == nullptr || !axes || axes->size() > 8) return {};
  const std::size_t rank = x->shape.size() + axes->size();
  std::vector<bool> added(rank);
  for (const std::int64_t axis : *axes) added[axis_of(axis, rank)] = true;
  Sketch result{{}, x->numbers, x->integer};
  std::size_t next = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    if (!added[i] && next >= x->shape.size()) return {};  // an axis named twice
    result.shape.push_back(added[i] ? 1 : x->shape[next++]);
  }
  return {result};
}

Results squeeze(const OutlineNode& node, const Operands& operands, std::int64_t) {
  const Sketch* x = operand(operands, 0);
  if (x == nullptr) return {};
  const bool given =
      node.attribute("axes") != nullptr || (node.inputs.size() > 1 && !node.inputs[1].empty());
  std::vector<bool> removed(x->shape.size());
  if (given) {
    const auto axes = integers(node, "axes", operands, 1);
    if (!axes || x->shape.empty()) return {};
    for (const std::int64_t axis : *axes) {
      const std::size_t at = axis_of(axis, x->shape.size());
      if (x->shape[at] != 1) {
        throw Misfit(fmt::format("removes dimension {} of {}", at, shape_text(x->shape)));
      }
      removed[at] = true;
    }
  } else {
    for (std::size_t i = 0; i < removed.size(); ++i) removed[i] = x->shape[i] == 1;
  }
  Sketch result{{}, x->numbers, x->integer};
  for (std::size_t i = 0; i < removed.size(); ++i) {
    if (!removed[i]) result.shape.push_back(x->shape[i]);
  }
  return {result};
}

Results expand(const OutlineNode&, const Operands& operands, std::int64_t) {
  const Sketch* x = operand(operands, 0);
  const auto wanted = sizes_of(operand(operands, 1));
  if (x == nullptr || !wanted) return {};
  Sketch result{broadcast(x->shape, *wanted), {}, x->integer};
  const auto count = volume(result.shape);
  if (x->numbers && x->numbers->size() == 1 && count && *count <= 64) {
    result.numbers.emplace(static_cast<std::size_t>(*count), x->numbers->front());
  }
  return {result};
}

Results tile(const OutlineNode&, const Operands& operands, std::int64_t) {
  const Sketch* x = operand(operands, 0);
  const auto repeats = sizes_of(operand(operands, 1));
  if (x == nullptr || !repeats || repeats->size() != x->shape.size()) return {};
  Sketch result{x->shape, {}, x->integer};
  for (std::size_t i = 0; i < repeats->size(); ++i) result.shape[i] *= (*repeats)[i];
  return {result};
}

Results filled(const OutlineNode& node, const Operands& operands, std::int64_t) {
  const auto wanted = sizes_of(operand(operands, 0));
  if (!wanted) return {};
  Sketch result{*wanted, {}, false};
  const OutlineAttribute* value = node.attribute("value");
  double number = 0;
  if (value != nullptr && value->tensors.size() == 1) {
    const graph::OutlineTensor& tensor = value->tensors.front();
    if (!tensor.values || tensor.values->empty()) return {result};
    number = tensor.values->front();
    result.integer = tensor.type != 1 && tensor.type != 10 && tensor.type != 11;
  }
  const auto count = volume(result.shape);
  if (count && *count >= 0 && *count <= 64) {
    result.numbers.emplace(static_cast<std::size_t>(*count), number);
  }
  return {result};
}

Results range(const OutlineNode&, const Operands& operands, std::int64_t) {
  double ends[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const Sketch* x = operand(operands, i);
    if (x == nullptr || !x->numbers || x->numbers->size() != 1) return {};
    ends[i] = x->numbers->front();
  }
  if (ends[2] == 0) return {};
  const double count = std::max(0.0, std::ceil((ends[1] - ends[0]) / ends[2]));
  if (!(count <= 1e9)) return {};
  Sketch result{{static_cast<std::int64_t>(count)}, {}, operands[0]->integer};
  if (count <= 64) {
    std::vector<double>& numbers = result.numbers.emplace();
    for (double i = 0; i < count; ++i) numbers.push_back(ends[0] + i * ends[2]);
  }
  return {result};
}

Results one_hot(const OutlineNode& node, const Operands& operands, std::int64_t) {
  const Sketch* x = operand(operands, 0);
  const auto depth = sizes_of(operand(operands, 1));
  if (x == nullptr || !depth || depth->size() != 1) return {};
  Sketch result{x->shape, {}, false};
  const std::size_t axis =
      axis_of(static_cast<std::int64_t>(std::clamp(node.number("axis", -1), -99.0, 99.0)),
              x->shape.size() + 1);
  result.shape.insert(result.shape.begin() + static_cast<std::ptrdiff_t>(axis), depth->front());
  return {result};
}

}  // namespace

std::vector<ShapeRow> move_rules() {
  return {{"Constant", constant},   {"Shape", shape},     {"Size", size},
          {"Reshape", reshape},     {"Flatten", flatten}, {"Transpose", transpose},
          {"Unsqueeze", unsqueeze}, {"Squeeze", squeeze}, {"Expand", expand},
          {"Tile", tile},           {"Range", range},     {"ConstantOfShape", filled},
          {"OneHot", one_hot}};
}

}  // namespace sinter::check
