// Element by element, and reductions: shapes by broadcasting, numbers where they are sizes.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinter/check/shape_rules.h"

namespace sinter::check {
using graph::OutlineNode;
namespace {

constexpr std::int64_t kNumbers = 1024;  // more are no sizes

using Binary = double (*)(double, double, bool integer);
using Unary = double (*)(double);

struct NamedBinary {
  std::string_view op;
  Binary apply;
};

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

constexpr NamedBinary kBinary[] = {
    {"Add", [](double a, double b, bool) { return a + b; }},
    {"Sub", [](double a, double b, bool) { return a - b; }},
    {"Mul", [](double a, double b, bool) { return a * b; }},
    {"Div",
     [](double a, double b, bool integer) {
       return b == 0 ? kUnknown : integer ? std::trunc(a / b) : a / b;
     }},
    {"Mod",
     [](double a, double b, bool) {
       if (b == 0) return kUnknown;
       const double rest = std::fmod(a, b);
       return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
     }},
    {"Pow", [](double a, double b, bool) { return std::pow(a, b); }},
    {"Min", [](double a, double b, bool) { return std::min(a, b); }},
    {"Max", [](double a, double b, bool) { return std::max(a, b); }},
    {"Equal", [](double a, double b, bool) { return a == b ? 1.0 : 0.0; }},
    {"Less", [](double a, double b, bool) { return a < b ? 1.0 : 0.0; }},
    {"LessOrEqual", [](double a, double b, bool) { return a <= b ? 1.0 : 0.0; }},
    {"Greater", [](double a, double b, bool) { return a > b ? 1.0 : 0.0; }},
    {"GreaterOrEqual", [](double a, double b, bool) { return a >= b ? 1.0 : 0.0; }},
    {"And", [](double a, double b, bool) { return a != 0 && b != 0 ? 1.0 : 0.0; }},
    {"Or", [](double a, double b, bool) { return a != 0 || b != 0 ? 1.0 : 0.0; }},
};

struct NamedUnary {
  std::string_view op;
  Unary apply;
};

constexpr NamedUnary kUnary[] = {
    {"Neg", [](double x) { return -x; }},
    {"Abs", [](double x) { return std::abs(x); }},
    {"Floor", [](double x) { return std::floor(x); }},
    {"Ceil", [](double x) { return std::ceil(x); }},
    {"Sqrt", [](double x) { return std::sqrt(x); }},
    {"Not", [](double x) { return x == 0 ? 1.0 : 0.0; }},
    {"Identity", [](double x) { return x; }},
};

// Index into an operand of smaller shape for a position in the result.
std::size_t source_index(std::size_t at, const std::vector<std::int64_t>& result,
                         const std::vector<std::int64_t>& source) {
  std::size_t index = 0;
  std::size_t stride = 1;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto extent = static_cast<std::size_t>(result[result.size() - 1 - i]);
    const std::size_t coordinate = at % extent;
    at /= extent;
    if (i >= source.size()) continue;
    const auto own = static_cast<std::size_t>(source[source.size() - 1 - i]);
    index += (own == 1 ? 0 : coordinate) * stride;
    stride *= own;
  }
  return index;
}

bool has_numbers(const Sketch& sketch) {
  const std::optional<std::int64_t> count = volume(sketch.shape);
  return sketch.numbers && count && static_cast<std::size_t>(*count) == sketch.numbers->size();
}

Sketch combine(const Sketch& a, const Sketch& b, Binary apply) {
  Sketch result{broadcast(a.shape, b.shape), {}, a.integer && b.integer};
  const std::optional<std::int64_t> count = volume(result.shape);
  if (!count || *count > kNumbers || !has_numbers(a) || !has_numbers(b)) return result;
  std::vector<double>& numbers = result.numbers.emplace();
  for (std::size_t at = 0; at < static_cast<std::size_t>(*count); ++at) {
    numbers.push_back(apply((*a.numbers)[source_index(at, result.shape, a.shape)],
                            (*b.numbers)[source_index(at, result.shape, b.shape)], result.integer));
  }
  return result;
}

Results binary(const OutlineNode& node, const Operands& operands, std::int64_t) {
  const auto* row = std::ranges::find(kBinary, std::string_view(node.op), &NamedBinary::op);
  std::optional<Sketch> result;
  for (const Sketch* operand : operands) {
    if (operand == nullptr) return {};
    result = result ? combine(*result, *operand, row->apply) : *operand;
  }
  return {result};
}

// Several operands whose numbers are of no interest.
Results spread(const OutlineNode&, const Operands& operands, std::int64_t) {
  std::vector<std::int64_t> shape;
  for (const Sketch* operand : operands) {
    if (operand == nullptr) return {};
    shape = broadcast(shape, operand->shape);
  }
  return {Sketch{shape, {}, false}};
}

Results where(const OutlineNode&, const Operands& operands, std::int64_t) {
  if (operands.size() != 3 || std::ranges::find(operands, nullptr) != operands.end()) return {};
  const Sketch& condition = *operands[0];
  const Sketch& yes = *operands[1];
  const Sketch& no = *operands[2];
  Sketch result{broadcast(condition.shape, broadcast(yes.shape, no.shape)), {}, yes.integer};
  const std::optional<std::int64_t> count = volume(result.shape);
  if (!count || *count > kNumbers || !has_numbers(condition) || !has_numbers(yes) ||
      !has_numbers(no)) {
    return {result};
  }
  std::vector<double>& numbers = result.numbers.emplace();
  for (std::size_t at = 0; at < static_cast<std::size_t>(*count); ++at) {
    const bool taken = (*condition.numbers)[source_index(at, result.shape, condition.shape)] != 0;
    const Sketch& from = taken ? yes : no;
    numbers.push_back((*from.numbers)[source_index(at, result.shape, from.shape)]);
  }
  return {result};
}

Results unary(const OutlineNode& node, const Operands& operands, std::int64_t) {
  const Sketch* x = operand(operands, 0);
  if (x == nullptr) return {};
  Sketch result = *x;
  const auto* row = std::ranges::find(kUnary, std::string_view(node.op), &NamedUnary::op);
  if (result.numbers) std::ranges::transform(*result.numbers, result.numbers->begin(), row->apply);
  return {result};
}

Results same_shape(const OutlineNode&, const Operands& operands, std::int64_t) {
  const Sketch* x = operand(operands, 0);
  if (x == nullptr) return {};
  return {Sketch{x->shape, {}, false}};
}

Results cast(const OutlineNode& node, const Operands& operands, std::int64_t) {
  const Sketch* x = operand(operands, 0);
  if (x == nullptr) return {};
  Sketch result = *x;
  const double to = node.number("to", 1);
  result.integer = to != 1 && to != 10 && to != 11 && to != 16;
  if (result.numbers && result.integer) {
    for (double& number : *result.numbers) number = std::trunc(number);
  }
  return {result};
}

Results reduce(const OutlineNode& node, const Operands& operands, std::int64_t) {
  const Sketch* x = operand(operands, 0);
  if (x == nullptr) return {};
  const bool given =
      node.attribute("axes") != nullptr || (node.inputs.size() > 1 && !node.inputs[1].empty());
  std::vector<bool> reduced(x->shape.size(), !given);
  if (given) {
    const auto axes = integers(node, "axes", operands, 1);
    if (!axes) return {};
    for (const std::int64_t axis : *axes) {
      if (!x->shape.empty()) reduced[axis_of(axis, x->shape.size())] = true;
    }
  }
  const bool keep = node.number("keepdims", 1) != 0;
  Sketch result{{}, {}, x->integer};
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    if (!reduced[i]) result.shape.push_back(x->shape[i]);
    if (reduced[i] && keep) result.shape.push_back(1);
  }
  if (node.op == "ReduceProd" && !given && has_numbers(*x)) {
    double product = 1;
    for (const double number : *x->numbers) product *= number;
    result.numbers = std::vector<double>{product};
  }
  return {result};
}

Results arg(const OutlineNode& node, const Operands& operands, std::int64_t) {
  const Sketch* x = operand(operands, 0);
  if (x == nullptr || x->shape.empty()) return {};
  Sketch result{x->shape, {}, true};
  const std::size_t axis =
      axis_of(static_cast<std::int64_t>(node.number("axis", 0)), x->shape.size());
  if (node.number("keepdims", 1) != 0) {
    result.shape[axis] = 1;
  } else {
    result.shape.erase(result.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  }
  return {result};
}

}  // namespace

std::vector<ShapeRow> math_rules() {
  std::vector<ShapeRow> rows;
  for (const NamedBinary& row : kBinary) rows.push_back({row.op, binary});
  for (const NamedUnary& row : kUnary) rows.push_back({row.op, unary});
  for (const std::string_view op : {"Sum", "Mean", "PRelu", "Xor"}) rows.push_back({op, spread});
  for (const std::string_view op : {"Relu",
                                    "Sigmoid",
                                    "Tanh",
                                    "Erf",
                                    "Exp",
                                    "Log",
                                    "Sin",
                                    "Cos",
                                    "Tan",
                                    "Softmax",
                                    "LogSoftmax",
                                    "Clip",
                                    "Gelu",
                                    "Swish",
                                    "HardSigmoid",
                                    "HardSwish",
                                    "Softplus",
                                    "Softsign",
                                    "LeakyRelu",
                                    "Elu",
                                    "Selu",
                                    "Celu",
                                    "Mish",
                                    "Reciprocal",
                                    "Sign",
                                    "Round",
                                    "IsNaN",
                                    "IsInf",
                                    "Dropout",
                                    "LayerNormalization",
                                    "InstanceNormalization",
                                    "GroupNormalization",
                                    "BatchNormalization",
                                    "RMSNormalization",
                                    "MeanVarianceNormalization",
                                    "LpNormalization",
                                    "CumSum",
                                    "Trilu",
                                    "QuantizeLinear",
                                    "DequantizeLinear",
                                    "RandomNormalLike",
                                    "RandomUniformLike",
                                    "CastLike"}) {
    rows.push_back({op, same_shape});
  }
  rows.push_back({"Where", where});
  rows.push_back({"Cast", cast});
  for (const std::string_view op :
       {"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
        "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare"}) {
    rows.push_back({op, reduce});
  }
  rows.push_back({"ArgMax", arg});
  rows.push_back({"ArgMin", arg});
  return rows;
}

}  // namespace sinter::check
