#include "sinter/fold/fold_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>

#include "sinter/base/dtype.h"
#include "sinter/check/shape_run.h"
#include "sinter/check/subject.h"
#include "sinter/fold/result_type.h"

namespace sinter::fold {
using check::ShapeRun;
using check::Sketch;
using check::Subject;
using graph::Outline;
using graph::OutlineNode;
using graph::OutlineTensor;
using graph::OutlineValue;
namespace {

// Smaller results may grow as they like: sizes, masks, tables of one window.
constexpr double kSmallBytes = 16.0 * 1024 * 1024;

const check::Options kAnyTarget{};

// Shapes of the inputs that have no free size.
std::map<std::string, std::vector<std::int64_t>> fixed_inputs(const Subject& subject) {
  std::map<std::string, std::vector<std::int64_t>> fixed;
  for (const OutlineValue* input : subject.inputs()) {
    const bool free = !input->ranked || std::ranges::find(input->dims, -1) != input->dims.end();
    if (!free) fixed.emplace(input->name, input->dims);
  }
  return fixed;
}

bool is_quantizing(const OutlineNode& node) {
  return node.op == "QuantizeLinear" || node.op == "DequantizeLinear";
}

class Planner {
 public:
  explicit Planner(const Outline& file) : file_(file), subject_(file, kAnyTarget), run_(subject_) {
    run_.run(fixed_inputs(subject_));
    std::set<std::string_view> given;
    for (const OutlineValue& input : file.graph.inputs) given.insert(input.name);
    for (const OutlineTensor& tensor : file.graph.initializers) {
      if (given.contains(tensor.name) || tensor.sparse || tensor.flaw) continue;
      const std::optional<DType> dtype = dtype_from_onnx(tensor.type);
      if (!dtype) continue;
      const double bytes =
          static_cast<double>(tensor.elements()) * static_cast<double>(dtype_bytes(*dtype));
      constants_.emplace(tensor.name, Known{tensor.type, bytes});
      weight_bytes_ += bytes;
    }
    for (const OutlineValue& output : file.graph.outputs) outputs_.insert(output.name);
  }

  FoldPlan plan() {
    for (std::size_t i = 0; i < nodes().size(); ++i) consider(i);
    plan_.clusters = clusters();
    return std::move(plan_);
  }

 private:
  struct Known {
    int type;
    double bytes;
  };

  const std::vector<OutlineNode>& nodes() const { return file_.graph.nodes; }

  bool constant(std::string_view value) const {
    return value.empty() || constants_.contains(value);
  }

  // Whether a node is one that computes the same in every run.
  bool repeats(const OutlineNode& node) const {
    const auto known = [this](std::string_view name) { return constant(name); };
    return !node.inputs.empty() && std::ranges::all_of(node.inputs, known) &&
           std::ranges::all_of(check::captured(node), known);
  }

  void consider(std::size_t index) {
    const OutlineNode& node = nodes()[index];
    if (!repeats(node)) return;
    const std::string why = obstacle(node);
    if (!why.empty()) {
      plan_.left.push_back({node.name, node.op, why});
      return;
    }
    for (const std::string& output : node.outputs) {
      if (!output.empty()) constants_.emplace(output, *known_of(node, output));
    }
    folding_.push_back(index);
  }

  // Why a node stays, or "".
  std::string obstacle(const OutlineNode& node) const {
    if (!check::is_pure(node)) return "it makes other numbers in every run";
    if (is_quantizing(node)) return "engines want to see how weights are quantized";
    if (!node.domain.empty()) return fmt::format("it is of the domain '{}'", node.domain);
    double inputs = 0;
    for (const std::string& input : node.inputs) {
      if (!input.empty()) inputs += constants_.find(input)->second.bytes;
    }
    for (const std::string& output : node.outputs) {
      if (output.empty()) continue;
      if (outputs_.contains(output)) return "it makes an output of the graph";
      const std::optional<Known> known = known_of(node, output);
      if (!known) return "the type or size of its result is not known before it runs";
      const bool grows = known->bytes > kSmallBytes &&
                         (known->bytes > 2 * inputs || known->bytes > 2 * weight_bytes_);
      if (grows) {
        return fmt::format("its result of {:.0f} MB is larger than what it is computed from",
                           known->bytes / 1e6);
      }
    }
    return "";
  }

  std::optional<Known> known_of(const OutlineNode& node, const std::string& output) const {
    const Sketch* sketch = run_.find(output);
    std::vector<int> types;
    for (const std::string& input : node.inputs) {
      types.push_back(input.empty() ? 0 : constants_.find(input)->second.type);
    }
    const int declared = subject_.type_of(output);
    const int type = declared != 0 ? declared : result_type(node, types);
    const std::optional<DType> dtype = dtype_from_onnx(type);
    if (sketch == nullptr || !dtype) return std::nullopt;
    double bytes = static_cast<double>(dtype_bytes(*dtype));
    for (const std::int64_t extent : sketch->shape) bytes *= static_cast<double>(extent);
    return Known{type, bytes};
  }

  // Names that nodes which stay read.
  std::set<std::string_view> wanted() const {
    const std::set<std::size_t> folding(folding_.begin(), folding_.end());
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < nodes().size(); ++i) {
      if (folding.contains(i)) continue;
      names.insert(nodes()[i].inputs.begin(), nodes()[i].inputs.end());
      for (const std::string_view name : check::captured(nodes()[i])) names.insert(name);
    }
    return names;
  }

  std::vector<Cluster> clusters() const {
    const std::vector<std::size_t> roots = joined();
    const std::set<std::string_view> names = wanted();
    std::map<std::size_t, Cluster> by_root;
    for (std::size_t k = 0; k < folding_.size(); ++k) {
      Cluster& cluster = by_root[roots[k]];
      cluster.nodes.push_back(folding_[k]);
      for (const std::string& output : nodes()[folding_[k]].outputs) {
        if (!names.contains(output) || output.empty()) continue;
        cluster.results.push_back({output, constants_.find(output)->second.type});
      }
    }
    std::vector<Cluster> result;
    for (auto& [root, cluster] : by_root) {
      if (!cluster.results.empty()) result.push_back(std::move(cluster));
    }
    return result;
  }

  // For every folding node the first one that it hangs together with.
  std::vector<std::size_t> joined() const {
    std::vector<std::size_t> parent(folding_.size());
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&parent](std::size_t at) {
      while (parent[at] != at) at = parent[at] = parent[parent[at]];
      return at;
    };
    std::map<std::string_view, std::size_t> makers;
    for (std::size_t k = 0; k < folding_.size(); ++k) {
      const OutlineNode& node = nodes()[folding_[k]];
      const auto join = [&](std::string_view name) {
        const auto maker = makers.find(name);
        if (maker == makers.end()) return;
        const std::size_t a = root(maker->second);
        const std::size_t b = root(k);
        parent[std::max(a, b)] = std::min(a, b);
      };
      std::ranges::for_each(node.inputs, join);
      std::ranges::for_each(check::captured(node), join);
      for (const std::string& output : node.outputs) makers.emplace(output, k);
    }
    std::vector<std::size_t> result;
    for (std::size_t k = 0; k < folding_.size(); ++k) result.push_back(root(k));
    return result;
  }

  const Outline& file_;
  Subject subject_;
  ShapeRun run_;
  std::map<std::string_view, Known> constants_;
  std::set<std::string_view> outputs_;
  std::vector<std::size_t> folding_;
  double weight_bytes_ = 0;
  FoldPlan plan_;
};

}  // namespace

std::vector<KnownSizes> known_sizes(const Outline& file) {
  const Subject subject(file, kAnyTarget);
  ShapeRun run(subject);
  run.run(fixed_inputs(subject));
  std::set<std::string_view> outputs;
  for (const OutlineValue& output : file.graph.outputs) outputs.insert(output.name);
  std::vector<KnownSizes> result;
  for (std::size_t i = 0; i < file.graph.nodes.size(); ++i) {
    const OutlineNode& node = file.graph.nodes[i];
    const bool sizes = node.domain.empty() && (node.op == "Shape" || node.op == "Size");
    if (!sizes || node.outputs.size() != 1 || outputs.contains(node.outputs[0])) continue;
    const Sketch* sketch = run.find(node.outputs[0]);
    if (sketch == nullptr || !sketch->numbers) continue;
    KnownSizes known{i, node.outputs[0], sketch->shape, {}};
    for (const double number : *sketch->numbers) {
      known.numbers.push_back(static_cast<std::int64_t>(number));
    }
    result.push_back(std::move(known));
  }
  return result;
}

FoldPlan plan_folds(const Outline& file) { return Planner(file).plan(); }

}  // namespace sinter::fold
