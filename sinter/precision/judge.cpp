#include "sinter/precision/judge.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "sinter/graph/moving_ops.h"

namespace sinter::precision {
namespace {

using convert::ExactModule;
using convert::ExactReason;
using graph::NodeSummary;

std::string_view before_last(std::string_view text, char separator) {
  const std::size_t at = text.rfind(separator);
  return at == std::string_view::npos ? text : text.substr(0, at);
}

bool is_parameter(std::string_view place) {
  return place.ends_with(".weight") || place.ends_with(".bias");
}

// The module that a node belongs to: its place, or that place's module where it is a weight's.
std::string module_of(const NodeSummary& node) {
  const std::string_view place = before_last(node.name, '/');
  return std::string(is_parameter(place) ? before_last(place, '.') : place);
}

// The casts at the graph's border are no module's.
bool is_border(std::string_view module) {
  return module.starts_with("input.") || module.starts_with("output.");
}

// A graph with what is known of its values.
class Network {
 public:
  Network(const graph::OnnxModel& half, const Extremes& extremes)
      : nodes_(half.nodes()), extremes_(extremes) {
    for (const auto& values : {half.inputs(), half.values(), half.outputs()}) {
      for (const graph::ValueDeclaration& value : values) types_.emplace(value.name, value.dtype);
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      for (const std::string& output : nodes_[i].outputs) producers_.emplace(output, i);
      for (const std::string& input : nodes_[i].inputs) readers_[input].push_back(i);
    }
  }

  const std::vector<NodeSummary>& nodes() const { return nodes_; }

  bool is_half(const std::string& value) const {
    const auto found = types_.find(value);
    return found != types_.end() && found->second == DType::kF16;
  }

  std::vector<std::size_t> readers(const std::string& value) const {
    const auto found = readers_.find(value);
    return found == readers_.end() ? std::vector<std::size_t>{} : found->second;
  }

  // What was seen of the value, or of that which it is a copy of: casts and their like have no
  // counterpart in the float32 graph.
  std::optional<double> largest(const std::string& value) const {
    std::string_view name = value;
    for (std::size_t step = 0; step <= nodes_.size(); ++step) {
      if (const auto seen = extremes_.find(name); seen != extremes_.end()) return seen->second;
      const auto producer = producers_.find(name);
      if (producer == producers_.end()) return std::nullopt;
      const NodeSummary& node = nodes_[producer->second];
      if (!graph::moves_data(node.op) || node.inputs.empty()) return std::nullopt;
      name = node.inputs.front();
    }
    return std::nullopt;
  }

  // Of a Softmax's operand, without what a mask adds: hidden scores are far off by intention.
  std::optional<double> largest_score(const std::string& operand) const {
    const auto producer = producers_.find(operand);
    if (producer != producers_.end() && nodes_[producer->second].op == "Add")
      return largest(nodes_[producer->second].inputs.front());
    return largest(operand);
  }

 private:
  std::vector<NodeSummary> nodes_;
  const Extremes& extremes_;
  std::map<std::string, DType, std::less<>> types_;
  std::map<std::string, std::size_t, std::less<>> producers_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> readers_;
};

class Judgement {
 public:
  explicit Judgement(const Network& network) : network_(network) {}

  std::vector<ExactModule> run() {
    for (std::size_t i = 0; i < network_.nodes().size(); ++i) {
      const NodeSummary& node = network_.nodes()[i];
      for (const std::string& output : node.outputs) judge_value(i, output);
      if (node.op == "Softmax") judge_scores(i, node.inputs.front());
    }
    std::vector<ExactModule> result;
    for (auto& [place, module] : in_order_) result.push_back(std::move(module));
    return result;
  }

 private:
  void judge_value(std::size_t node, const std::string& value) {
    if (!network_.is_half(value)) return;
    const std::optional<double> largest = network_.largest(value);
    if (!largest) return;
    const bool over = !(*largest <= kLargestKept);  // NaN is over too
    const bool under = *largest > 0 && *largest < kSmallestNormal;
    if (!over && !under) return;
    const bool weight = is_parameter(before_last(network_.nodes()[node].name, '/'));
    // Small weights lose what the file's own float16 would have lost.
    if (weight && under) return;
    // What only moves such a value along is a reader of it.
    const bool moved = graph::moves_data(network_.nodes()[node].op);
    add(node,
        weight  ? ExactReason::kWeights
        : moved ? ExactReason::kReads
        : over  ? ExactReason::kOverflow
                : ExactReason::kUnderflow,
        value, *largest);
    for (const std::size_t reader : network_.readers(value))
      add(reader, ExactReason::kReads, value, *largest);
  }

  void judge_scores(std::size_t node, const std::string& operand) {
    if (!network_.is_half(operand)) return;
    const std::optional<double> largest = network_.largest_score(operand);
    if (largest && *largest > kLargestScore) add(node, ExactReason::kScores, operand, *largest);
  }

  // The first reason is told, and one of its own rather than that of a reader.
  void add(std::size_t node, ExactReason reason, const std::string& value, double largest) {
    const std::string module = module_of(network_.nodes()[node]);
    if (is_border(module)) return;
    const auto [known, added] = places_.emplace(module, node);
    ExactModule& entry = in_order_[known->second];
    const bool tells_more = entry.reason == ExactReason::kReads && reason != ExactReason::kReads;
    if (added || tells_more) entry = {module, reason, value, largest};
  }

  const Network& network_;
  std::map<std::string, std::size_t, std::less<>> places_;  // module -> its first node
  std::map<std::size_t, ExactModule> in_order_;
};

}  // namespace

std::vector<ExactModule> judge(const graph::OnnxModel& half, const Extremes& extremes) {
  const Network network(half, extremes);
  return Judgement(network).run();
}

LargestValue largest_half(const graph::OnnxModel& half, const Extremes& extremes) {
  const Network network(half, extremes);
  LargestValue result;
  for (const NodeSummary& node : network.nodes()) {
    for (const std::string& output : node.outputs) {
      if (!network.is_half(output)) continue;
      const std::optional<double> largest = network.largest(output);
      if (largest && (result.value.empty() || *largest > result.largest))
        result = {output, *largest};
    }
  }
  return result;
}

}  // namespace sinter::precision
