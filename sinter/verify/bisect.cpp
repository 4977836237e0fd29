#include "sinter/verify/bisect.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sinter/verify/extents.h"

namespace sinter::verify {
namespace {

using runtime::TensorMap;

constexpr std::size_t kValuesPerRun = 64;
constexpr std::int64_t kBytesPerRun = std::int64_t{1} << 30;

// Marks of values by their place in the order of execution.
using Marks = std::vector<bool>;

// The floating values of a graph that nodes make, in the order of execution, and what leads to
// them.
class DataFlow {
 public:
  DataFlow(const graph::OnnxModel& model, const TensorMap& inputs) : nodes_(model.nodes()) {
    const Symbols symbols = bind_symbols(model.inputs(), inputs);
    std::vector<graph::ValueDeclaration> declared = model.values();
    for (graph::ValueDeclaration& output : model.outputs()) declared.push_back(std::move(output));
    std::map<std::string, const graph::ValueDeclaration*> types;
    for (const graph::ValueDeclaration& value : declared) types.emplace(value.name, &value);
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      for (const std::string& output : nodes_[node].outputs) {
        const auto type = types.find(output);
        const bool visible = type != types.end() && is_floating(type->second->dtype);
        places_.emplace(output, values_.size());
        values_.push_back({.name = output,
                           .node = node,
                           .visible = visible,
                           .bytes = visible ? size_of(*type->second, symbols) : 0});
      }
    }
  }

  struct Entry {
    std::string name;
    std::size_t node;
    bool visible;  // has a known floating type, so that it can be looked at
    std::int64_t bytes;
  };

  const std::vector<Entry>& values() const { return values_; }
  const graph::NodeSummary& node_of(std::size_t value) const { return nodes_[values_[value].node]; }

  void hide_others(const std::set<std::string>& known) {
    for (Entry& value : values_) value.visible = value.visible && known.contains(value.name);
  }

  // Marks the value and all that lead to it.
  void mark_ancestors(std::size_t value, Marks& marks) const {
    std::vector<std::size_t> open{value};
    while (!open.empty()) {
      const std::size_t next = open.back();
      open.pop_back();
      if (marks[next]) continue;
      marks[next] = true;
      for (const std::string& input : node_of(next).inputs) {
        const auto found = places_.find(input);
        if (found != places_.end()) open.push_back(found->second);
      }
    }
  }

  // Whether only Softmax reads the value.
  bool only_into_softmax(const std::string& name) const {
    bool read = false;
    for (const graph::NodeSummary& node : nodes_) {
      if (std::ranges::find(node.inputs, name) == node.inputs.end()) continue;
      if (node.op != "Softmax") return false;
      read = true;
    }
    return read;
  }

 private:
  static std::int64_t size_of(const graph::ValueDeclaration& type, const Symbols& symbols) {
    const std::optional<Shape> shape = evaluate_shape(type, symbols);
    // An unknown size is taken for a large one: 16 of them fill a run.
    if (!shape) return kBytesPerRun / 16;
    return static_cast<std::int64_t>(byte_count(type.dtype, *shape));
  }

  std::vector<graph::NodeSummary> nodes_;
  std::vector<Entry> values_;
  std::map<std::string, std::size_t, std::less<>> places_;
};

class Exposed {
 public:
  Exposed(graph::OnnxModel& model, std::span<const std::string> values) : model_(model) {
    model_.expose(values);
  }
  ~Exposed() { model_.hide_exposed(); }
  Exposed(const Exposed&) = delete;
  Exposed& operator=(const Exposed&) = delete;

 private:
  graph::OnnxModel& model_;
};

TensorMap run(BisectSide& side, std::span<const std::string> values, const TensorMap& inputs) {
  const Exposed exposed(side.model, values);
  // Compiling for these shapes alone is quicker, and engines are less tried with inner values of
  // dynamic shape as outputs (OpenVINO's bfloat16 attention fails on them).
  runtime::SessionOptions options = side.options;
  for (const auto& [name, tensor] : inputs) options.input_shapes.emplace(name, tensor.shape());
  return runtime::open_session(side.engine, side.model, options)->run(inputs);
}

struct Look {
  bool faulty = false;
  NonFinite non_finite;
  std::optional<Comparison> comparison;
};

// Looks at values of one run, in their order.
using Probe = std::function<std::vector<Look>(std::span<const std::string> values)>;

class Search {
 public:
  Search(const DataFlow& flow, Probe probe, const BisectProgress& progress)
      : flow_(flow),
        probe_(std::move(probe)),
        progress_(progress),
        cleared_(flow.values().size()),
        visible_(static_cast<std::size_t>(
            std::ranges::count(flow.values(), true, &DataFlow::Entry::visible))) {}

  std::optional<BisectFinding> from(const std::vector<graph::ValueDeclaration>& outputs) {
    std::vector<std::size_t> places;
    for (const graph::ValueDeclaration& output : outputs) {
      // An output may also be an input or a weight, which no node makes.
      if (const auto place = visible_place(output.name)) places.push_back(*place);
    }
    std::ranges::sort(places);
    std::optional<std::size_t> faulty = first_faulty(places);
    if (!faulty) return std::nullopt;
    return finding(earliest(*faulty));
  }

  std::optional<BisectFinding> among_all() {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < flow_.values().size(); ++i) {
      if (flow_.values()[i].visible) places.push_back(i);
    }
    const std::optional<std::size_t> faulty = first_faulty(places);
    if (!faulty) return std::nullopt;
    return finding(*faulty);
  }

 private:
  std::size_t earliest(std::size_t faulty) {
    while (const auto earlier = earlier_than(faulty)) faulty = *earlier;
    return faulty;
  }

  std::optional<std::size_t> visible_place(const std::string& name) const {
    for (std::size_t i = 0; i < flow_.values().size(); ++i) {
      if (flow_.values()[i].name == name && flow_.values()[i].visible) return i;
    }
    return std::nullopt;
  }

  // Values that lead to a faulty one and that no good value has vouched for.
  std::vector<std::size_t> suspects(std::size_t faulty) const {
    Marks ancestors(flow_.values().size());
    flow_.mark_ancestors(faulty, ancestors);
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < faulty; ++i) {
      if (ancestors[i] && !cleared_[i] && flow_.values()[i].visible) result.push_back(i);
    }
    return result;
  }

  std::optional<std::size_t> earlier_than(std::size_t faulty) {
    while (true) {
      const std::vector<std::size_t> all = suspects(faulty);
      if (all.empty()) return std::nullopt;
      if (all.size() <= kValuesPerRun) return first_faulty(all);
      std::vector<std::size_t> some;
      for (std::size_t i = 0; i < kValuesPerRun; ++i) {
        some.push_back(all[i * all.size() / kValuesPerRun]);
      }
      if (const auto found = first_faulty(some)) return found;
    }
  }

  // Looks at values in as many runs as memory asks for; clears the good ones and what leads to
  // them.
  std::optional<std::size_t> first_faulty(const std::vector<std::size_t>& places) {
    std::optional<std::size_t> first;
    std::vector<std::size_t> good;
    for (std::size_t begin = 0; begin < places.size() && !first;) {
      const std::size_t end = end_of_run(places, begin);
      std::vector<std::string> names;
      for (std::size_t i = begin; i < end; ++i) names.push_back(flow_.values()[places[i]].name);
      std::vector<Look> looks = look_at(names);
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t place = places[i];
        if (looks[i - begin].faulty) {
          first = std::min(first.value_or(place), place);
        } else {
          good.push_back(place);
        }
        looks_.insert_or_assign(place, std::move(looks[i - begin]));
      }
      begin = end;
    }
    // Behind a faulty value, a good one says nothing about what is before both.
    for (const std::size_t place : good) {
      if (!first || place < *first) flow_.mark_ancestors(place, cleared_);
    }
    return first;
  }

  std::size_t end_of_run(const std::vector<std::size_t>& places, std::size_t begin) const {
    std::int64_t bytes = 0;
    std::size_t end = begin;
    while (end < places.size() && end - begin < kValuesPerRun) {
      bytes += flow_.values()[places[end]].bytes;
      if (end > begin && bytes > kBytesPerRun) break;
      ++end;
    }
    return end;
  }

  std::vector<Look> look_at(std::span<const std::string> names) {
    if (progress_) progress_(looked_, visible_);
    looked_ += names.size();
    return probe_(names);
  }

  std::string module_of(std::size_t place) const {
    const std::string& node = flow_.node_of(place).name;
    return node.substr(0, node.rfind('/'));
  }

  BisectValue value_at(std::size_t place) const {
    const Look& look = looks_.at(place);
    return {.module = module_of(place),
            .node = flow_.node_of(place).name,
            .op = flow_.node_of(place).op,
            .value = flow_.values()[place].name,
            .faulty = look.faulty,
            .non_finite = look.non_finite,
            .comparison = look.comparison};
  }

  // The nearest visible value of each of the next modules in one direction.
  std::vector<std::size_t> neighbours(std::size_t place, bool forwards) const {
    constexpr std::size_t kNeighbours = 2;
    std::vector<std::size_t> found;
    std::set<std::string> modules{module_of(place)};
    const std::size_t count = flow_.values().size();
    // Backwards, the step below 0 wraps and ends the loop too.
    for (std::size_t i = forwards ? place + 1 : place - 1; i < count && found.size() < kNeighbours;
         forwards ? ++i : --i) {
      if (flow_.values()[i].visible && modules.insert(module_of(i)).second) found.push_back(i);
    }
    std::ranges::sort(found);
    return found;
  }

  BisectFinding finding(std::size_t place) {
    const std::vector<std::size_t> before = neighbours(place, false);
    const std::vector<std::size_t> behind = neighbours(place, true);
    std::vector<std::size_t> around = before;
    around.insert(around.end(), behind.begin(), behind.end());
    std::erase_if(around, [&](std::size_t i) { return looks_.contains(i); });
    std::vector<std::string> names;
    for (const std::size_t i : around) names.push_back(flow_.values()[i].name);
    if (!names.empty()) {
      std::vector<Look> looks = look_at(names);
      for (std::size_t i = 0; i < around.size(); ++i)
        looks_.emplace(around[i], std::move(looks[i]));
    }
    BisectFinding result{.fault = value_at(place), .before = {}, .behind = {}};
    for (const std::size_t i : before) result.before.push_back(value_at(i));
    for (const std::size_t i : behind) result.behind.push_back(value_at(i));
    return result;
  }

  const DataFlow& flow_;
  Probe probe_;
  const BisectProgress& progress_;
  Marks cleared_;
  std::map<std::size_t, Look> looks_;
  std::size_t looked_ = 0;
  std::size_t visible_ = 0;
};

std::set<std::string> value_names(const graph::OnnxModel& model) {
  std::set<std::string> names;
  for (const graph::ValueDeclaration& value : model.values()) names.insert(value.name);
  for (const graph::ValueDeclaration& value : model.outputs()) names.insert(value.name);
  return names;
}

}  // namespace

std::optional<BisectFinding> bisect(BisectSide reference, BisectSide suspect,
                                    const TensorMap& inputs, const Tolerance& tolerance,
                                    const BisectProgress& progress) {
  DataFlow flow(suspect.model, inputs);
  flow.hide_others(value_names(reference.model));
  const Probe probe = [&](std::span<const std::string> values) {
    const TensorMap expected = run(reference, values, inputs);
    const TensorMap found = run(suspect, values, inputs);
    std::vector<Look> looks;
    for (const std::string& value : values) {
      Comparison comparison = compare(expected.at(value), found.at(value));
      looks.push_back({.faulty = !within(comparison, tolerance),
                       .non_finite = count_non_finite(found.at(value)),
                       .comparison = std::move(comparison)});
    }
    return looks;
  };
  return Search(flow, probe, progress).from(suspect.model.outputs());
}

std::optional<BisectFinding> find_non_finite(BisectSide side, const TensorMap& inputs,
                                             NonFiniteScope scope, const BisectProgress& progress) {
  const DataFlow flow(side.model, inputs);
  const Probe probe = [&](std::span<const std::string> values) {
    const TensorMap found = run(side, values, inputs);
    std::vector<Look> looks;
    for (const std::string& value : values) {
      const NonFinite count = count_non_finite(found.at(value));
      const std::int64_t masked = flow.only_into_softmax(value) ? count.negative_inf : 0;
      looks.push_back(
          {.faulty = count.count() > masked, .non_finite = count, .comparison = std::nullopt});
    }
    return looks;
  };
  Search search(flow, probe, progress);
  std::optional<BisectFinding> finding = search.from(side.model.outputs());
  if (!finding && scope == NonFiniteScope::kValues) finding = search.among_all();
  return finding;
}

}  // namespace sinter::verify
