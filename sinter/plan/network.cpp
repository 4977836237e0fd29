#include "sinter/plan/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "sinter/base/error.h"
#include "sinter/base/message.h"
#include "sinter/base/shape.h"
#include "sinter/base/tensor.h"

namespace sinter::plan {
namespace {

using graph::NodeSummary;
using graph::ValueDeclaration;

// Matrix products and convolutions read their operands in any order of axes, so these cost nothing.
constexpr std::array<std::string_view, 6> kViews{"Flatten", "Identity",  "Reshape",
                                                 "Squeeze", "Transpose", "Unsqueeze"};

template <std::size_t N>
bool is_one_of(std::string_view op, const std::array<std::string_view, N>& ops) {
  return std::ranges::find(ops, op) != ops.end();
}

class Reader {
 public:
  explicit Reader(const graph::OnnxModel& model) : model_(model) {
    for (const ValueDeclaration& value : model.values()) types_.emplace(value.name, value);
    for (const ValueDeclaration& value : model.outputs()) {
      types_.insert_or_assign(value.name, value);
      outputs_.insert(value.name);
    }
    for (const graph::Weight& weight : model.weights()) weights_.emplace(weight.name, weight);
  }

  Network read() {
    for (const ValueDeclaration& input : model_.inputs()) {
      values_.emplace(input.name, network_.values.size());
      network_.values.push_back({.type = input, .input = true});
    }
    for (const NodeSummary& node : model_.nodes()) add(node);
    // A view of a value that is an output makes the value itself the caller's.
    for (const std::string& name : outputs_) {
      if (const auto found = values_.find(name); found != values_.end())
        network_.values[found->second].output = true;
    }
    return std::move(network_);
  }

 private:
  void add(const NodeSummary& node) {
    std::vector<std::size_t> reads;
    std::vector<std::string> constants;
    for (const std::string& input : node.inputs) {
      const auto found = values_.find(input);
      if (found != values_.end()) {
        reads.push_back(found->second);
      } else if (!input.empty()) {
        constants.push_back(input);
      }
    }
    // Extents are the host's business; what only constants make is folded when an engine is built.
    if (reads.empty() || node.op == "Shape") return;
    for (const std::string& name : constants) count_weight(name);
    if (is_one_of(node.op, kViews) && !node.outputs.empty()) {
      values_.emplace(node.outputs.front(), reads.front());
      return;
    }
    NetworkNode made{.name = node.name, .op = node.op, .reads = std::move(reads), .writes = {}};
    for (const std::string& output : node.outputs) {
      if (!output.empty()) made.writes.push_back(add_value(output, node));
    }
    network_.nodes.push_back(std::move(made));
  }

  std::size_t add_value(const std::string& name, const NodeSummary& node) {
    const auto type = types_.find(name);
    if (type == types_.end() || !type->second.ranked) {
      throw Error(
          ErrorCode::kUnsupported,
          fmt::format("{}: the graph declares no shape for '{}' ({} '{}')", model_.path().string(),
                      shown(name), shown(node.op), shown(node.name)),
          "memory is planned for graphs with the shape of every value, as sinter convert "
          "writes them");
    }
    values_.emplace(name, network_.values.size());
    network_.values.push_back({.type = type->second});
    return network_.values.size() - 1;
  }

  /// A weight as it is stored, or as a folded node made it.
  void count_weight(const std::string& name) {
    if (!counted_.insert(name).second) return;
    if (const auto weight = weights_.find(name); weight != weights_.end()) {
      add_weight(weight->second.dtype, weight->second.bytes.size());
      return;
    }
    const auto type = types_.find(name);
    if (type == types_.end() || !type->second.ranked) return;  // small: sizes, scales, axes
    const bool fixed = std::ranges::none_of(type->second.shape, [](auto n) { return n < 0; });
    if (fixed) add_weight(type->second.dtype, byte_count(type->second.dtype, type->second.shape));
  }

  void add_weight(DType dtype, std::uint64_t bytes) {
    network_.weight_bytes += bytes;
    if (dtype == DType::kF32) network_.float32_weight_bytes += bytes;
  }

  const graph::OnnxModel& model_;
  std::map<std::string, ValueDeclaration, std::less<>> types_;
  std::map<std::string, graph::Weight, std::less<>> weights_;
  std::map<std::string, std::size_t, std::less<>> values_;
  std::set<std::string, std::less<>> outputs_;
  std::set<std::string, std::less<>> counted_;
  Network network_;
};

}  // namespace

Network read_network(const graph::OnnxModel& model) { return Reader(model).read(); }

Network in_half(const Network& network) {
  Network half;
  half.weight_bytes = network.weight_bytes - network.float32_weight_bytes / 2;
  half.values = network.values;
  for (NetworkValue& value : half.values) {
    if (value.type.dtype == DType::kF32 && !value.input && !value.output)
      value.type.dtype = DType::kF16;
  }
  const auto cast = [&half](std::size_t value, DType dtype) {
    NetworkValue other{.type = half.values[value].type};
    other.type.dtype = dtype;
    half.values.push_back(std::move(other));
    return half.values.size() - 1;
  };
  for (const NetworkNode& node : network.nodes) {
    NetworkNode made = node;
    if (node.op != "InstanceNormalization") {
      half.nodes.push_back(std::move(made));
      continue;
    }
    const std::size_t operand = cast(node.reads.front(), DType::kF32);
    const std::size_t normal = cast(node.writes.front(), DType::kF32);
    made.reads = {operand};
    made.writes = {normal};
    half.nodes.push_back({node.name + "/Cast", "Cast", {node.reads.front()}, {operand}});
    half.nodes.push_back(std::move(made));
    half.nodes.push_back({node.name + "/Cast_1", "Cast", {normal}, {node.writes.front()}});
  }
  return half;
}

std::uint64_t value_bytes(const NetworkValue& value, const graph::Symbols& sizes) {
  const std::optional<Shape> shape = graph::evaluate_shape(value.type, sizes);
  if (!shape) {
    throw Error(ErrorCode::kUsage, fmt::format("the size of '{}' depends on more than the inputs",
                                               shown(value.type.name)));
  }
  return byte_count(value.type.dtype, *shape);
}

}  // namespace sinter::plan
