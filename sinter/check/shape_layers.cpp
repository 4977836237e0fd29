// Operators with weights, pooling and resizing.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinter/check/shape_rules.h"

namespace sinter::check {
using graph::OutlineAttribute;
using graph::OutlineNode;
namespace {

using Sizes = std::vector<std::int64_t>;

// Whole numbers of an attribute of one a dimension, or the same number for each.
Sizes per_dimension(const OutlineNode& node, std::string_view name, std::size_t count,
                    std::int64_t otherwise) {
  const OutlineAttribute* found = node.attribute(name);
  if (found == nullptr || found->numbers.size() != count) return Sizes(count, otherwise);
  Sizes result;
  for (const double number : found->numbers) {
    result.push_back(static_cast<std::int64_t>(std::clamp(number, -1e6, 1e6)));
  }
  return result;
}

// What a window that moves over an extent gives.
struct Window {
  Sizes kernel, stride, dilation, pads;
  bool same = false;
  bool ceiling = false;

  Window(const OutlineNode& node, Sizes sizes) : kernel(std::move(sizes)) {
    stride = per_dimension(node, "strides", kernel.size(), 1);
    dilation = per_dimension(node, "dilations", kernel.size(), 1);
    pads = per_dimension(node, "pads", 2 * kernel.size(), 0);
    same = node.text("auto_pad", "NOTSET").starts_with("SAME");
    ceiling = node.number("ceil_mode", 0) != 0;
  }

  std::int64_t over(std::int64_t extent, std::size_t i) const {
    const std::int64_t step = std::max<std::int64_t>(stride[i], 1);
    if (same) return (extent + step - 1) / step;
    const std::int64_t room = extent + pads[i] + pads[i + kernel.size()] -
                              dilation[i] * (std::min<std::int64_t>(kernel[i], 1'000'000) - 1) - 1;
    if (room < 0) throw Misfit(fmt::format("moves a window of {} over {}", kernel[i], extent));
    return (ceiling ? (room + step - 1) / step : room / step) + 1;
  }
};

Results conv(const OutlineNode& node, const Operands& operands, std::int64_t) {
  const Sketch* x = operand(operands, 0);
  const Sketch* weight = operand(operands, 1);
  if (x == nullptr || weight == nullptr || x->shape.size() < 3 ||
      x->shape.size() != weight->shape.size()) {
    return {};
  }
  const double group = node.number("group", 1);
  if (static_cast<double>(weight->shape[1]) * group != static_cast<double>(x->shape[1])) {
    throw Misfit(fmt::format("has weights for {} channels and gets {}",
                             static_cast<double>(weight->shape[1]) * group, shape_text(x->shape)));
  }
  const Window window(node, Sizes(weight->shape.begin() + 2, weight->shape.end()));
  Sketch result{{x->shape[0], weight->shape[0]}, {}, false};
  for (std::size_t i = 0; i < window.kernel.size(); ++i) {
    result.shape.push_back(window.over(x->shape[i + 2], i));
  }
  return {result};
}

Results pool(const OutlineNode& node, const Operands& operands, std::int64_t) {
  const Sketch* x = operand(operands, 0);
  const OutlineAttribute* kernel = node.attribute("kernel_shape");
  if (x == nullptr || kernel == nullptr || x->shape.size() != kernel->numbers.size() + 2) return {};
  const Window window(node, per_dimension(node, "kernel_shape", kernel->numbers.size(), 1));
  Sketch result{{x->shape[0], x->shape[1]}, {}, false};
  for (std::size_t i = 0; i < window.kernel.size(); ++i) {
    result.shape.push_back(window.over(x->shape[i + 2], i));
  }
  return {result};
}

Results global_pool(const OutlineNode&, const Operands& operands, std::int64_t) {
  const Sketch* x = operand(operands, 0);
  if (x == nullptr || x->shape.size() < 3) return {};
  Sketch result{x->shape, {}, false};
  std::fill(result.shape.begin() + 2, result.shape.end(), 1);
  return {result};
}

Results matmul(const OutlineNode&, const Operands& operands, std::int64_t) {
  const Sketch* a = operand(operands, 0);
  const Sketch* b = operand(operands, 1);
  if (a == nullptr || b == nullptr || a->shape.size() < 2 || b->shape.size() < 2) return {};
  const std::int64_t inner = a->shape.back();
  const std::int64_t rows = b->shape[b->shape.size() - 2];
  if (inner != rows) {
    throw Misfit(fmt::format("multiplies {} and {}, where {} != {}", shape_text(a->shape),
                             shape_text(b->shape), inner, rows));
  }
  Sizes shape = broadcast(Sizes(a->shape.begin(), a->shape.end() - 2),
                          Sizes(b->shape.begin(), b->shape.end() - 2));
  shape.push_back(a->shape[a->shape.size() - 2]);
  shape.push_back(b->shape.back());
  return {Sketch{shape, {}, false}};
}

Results gemm(const OutlineNode& node, const Operands& operands, std::int64_t) {
  const Sketch* a = operand(operands, 0);
  const Sketch* b = operand(operands, 1);
  if (a == nullptr || b == nullptr || a->shape.size() != 2 || b->shape.size() != 2) return {};
  const bool turn_a = node.number("transA", 0) != 0;
  const bool turn_b = node.number("transB", 0) != 0;
  const std::int64_t inner = a->shape[turn_a ? 0 : 1];
  const std::int64_t rows = b->shape[turn_b ? 1 : 0];
  if (inner != rows) {
    throw Misfit(fmt::format("multiplies {} and {}, where {} != {}", shape_text(a->shape),
                             shape_text(b->shape), inner, rows));
  }
  return {Sketch{{a->shape[turn_a ? 1 : 0], b->shape[turn_b ? 0 : 1]}, {}, false}};
}

Results resize(const OutlineNode& node, const Operands& operands, std::int64_t opset) {
  const Sketch* x = operand(operands, 0);
  if (x == nullptr || node.attribute("axes") != nullptr) return {};
  const auto sizes = sizes_of(operand(operands, 3));
  if (sizes && sizes->size() == x->shape.size()) return {Sketch{*sizes, {}, false}};
  const Sketch* scales = operand(operands, opset >= 11 && node.op == "Resize" ? 2 : 1);
  if (scales == nullptr || !scales->numbers || scales->numbers->size() != x->shape.size()) {
    return {};
  }
  Sketch result{x->shape, {}, false};
  for (std::size_t i = 0; i < x->shape.size(); ++i) {
    const double scaled = std::floor(static_cast<double>(x->shape[i]) * (*scales->numbers)[i]);
    if (!(scaled >= 0 && scaled <= 1e9)) return {};
    result.shape[i] = static_cast<std::int64_t>(scaled);
  }
  return {result};
}

Results depth_to_space(const OutlineNode& node, const Operands& operands, std::int64_t) {
  const Sketch* x = operand(operands, 0);
  const auto block = static_cast<std::int64_t>(std::clamp(node.number("blocksize", 0), 0.0, 1e4));
  if (x == nullptr || x->shape.size() != 4 || block < 1) return {};
  const Sizes& s = x->shape;
  if (node.op == "DepthToSpace") {
    if (s[1] % (block * block) != 0) {
      throw Misfit(fmt::format("spreads {} channels over blocks of {}", s[1], block));
    }
    return {Sketch{{s[0], s[1] / (block * block), s[2] * block, s[3] * block}, {}, false}};
  }
  if (s[2] % block != 0 || s[3] % block != 0) {
    throw Misfit(fmt::format("cuts {} into blocks of {}", shape_text(s), block));
  }
  return {Sketch{{s[0], s[1] * block * block, s[2] / block, s[3] / block}, {}, false}};
}

}  // namespace

std::vector<ShapeRow> layer_rules() {
  return {{"Conv", conv},
          {"MaxPool", pool},
          {"AveragePool", pool},
          {"LpPool", pool},
          {"GlobalAveragePool", global_pool},
          {"GlobalMaxPool", global_pool},
          {"MatMul", matmul},
          {"Gemm", gemm},
          {"Resize", resize},
          {"Upsample", resize},
          {"DepthToSpace", depth_to_space},
          {"SpaceToDepth", depth_to_space}};
}

}  // namespace sinter::check
