#include "sinter/plan/kernels.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "sinter/plan/operators.h"

namespace sinter::plan {
namespace {

// How far two ways through a chain of element-wise operations are followed until they meet: the
// longest that a network has is GELU's, of four.
constexpr int kChain = 8;

class Fusion {
 public:
  Fusion(const Network& network, Norms norms)
      : network_(network),
        group_(network.nodes.size()),
        kind_(network.nodes.size()),
        readers_(network.values.size()),
        producer_(network.values.size()),
        inside_(network.values.size(), false) {
    std::iota(group_.begin(), group_.end(), std::size_t{0});
    for (std::size_t i = 0; i < network_.nodes.size(); ++i) {
      kind_[i] = class_of(network_.nodes[i].op);
      for (const std::size_t value : network_.nodes[i].reads) {
        if (readers_[value].empty() || readers_[value].back() != i) readers_[value].push_back(i);
      }
      for (const std::size_t value : network_.nodes[i].writes) producer_[value] = i;
    }
    if (norms == Norms::kJoined) join_norms();
    root_kind_ = kind_;
  }

  std::vector<Kernel> run() {
    for (std::size_t i = 0; i < network_.nodes.size(); ++i) {
      if (kind_[i] == OpClass::kSoftmax) fuse_attention(i);
    }
    for (std::size_t i = 0; i < network_.nodes.size(); ++i) {
      for (const std::size_t value : network_.nodes[i].writes) fuse_behind(i, value);
    }
    return in_order(kernels());
  }

 private:
  std::size_t root(std::size_t node) {
    while (group_[node] != node) node = group_[node] = group_[group_[node]];
    return node;
  }

  bool internal(std::size_t value) const { return inside_[value] || network_.values[value].output; }

  /// The one node that makes the first operand of `node`, if nobody else reads that.
  std::optional<std::size_t> sole_producer(std::size_t node) const {
    for (const std::size_t value : network_.nodes[node].reads) {
      const std::optional<std::size_t> made = producer_[value];
      if (made && readers_[value].size() == 1 && !network_.values[value].output) return made;
    }
    return std::nullopt;
  }

  bool is_float16(std::size_t value) const {
    return network_.values[value].type.dtype == DType::kF16;
  }

  /// Norms between a cast from float16 and casts back (never bfloat16: building leaves those) take
  /// the first along, and are open to what follows.
  void join_norms() {
    for (std::size_t i = 0; i < network_.nodes.size(); ++i) {
      const NetworkNode& norm = network_.nodes[i];
      if (kind_[i] != OpClass::kAlone || norm.reads.empty() || norm.writes.empty()) continue;
      const std::size_t operand = norm.reads.front();
      const std::optional<std::size_t> widen = producer_[operand];
      const bool narrows = std::ranges::all_of(readers_[norm.writes.front()], [&](std::size_t k) {
        return network_.nodes[k].op == "Cast" && is_float16(network_.nodes[k].writes.front());
      });
      if (!narrows || !widen || network_.nodes[*widen].op != "Cast" ||
          readers_[operand].size() != 1 || !is_float16(network_.nodes[*widen].reads.front()))
        continue;
      kind_[i] = OpClass::kLayerNorm;
      kind_[*widen] = OpClass::kLayerNorm;
      group_[*widen] = i;
      inside_[operand] = true;
    }
  }

  void fuse_attention(std::size_t softmax) {
    const std::size_t weights = network_.nodes[softmax].writes.front();
    if (readers_[weights].size() != 1 || network_.values[weights].output) return;
    const std::size_t mix = readers_[weights].front();
    std::vector<std::size_t> members{softmax};
    std::size_t scores = softmax;
    do {  // a mask may be added between
      const std::optional<std::size_t> before = sole_producer(scores);
      if (!before || members.size() > 4) return;
      scores = *before;
      members.push_back(scores);
    } while (kind_[scores] == OpClass::kPointwise);
    if (kind_[scores] != OpClass::kHeavy || kind_[mix] != OpClass::kHeavy || !is_fusable(mix))
      return;
    for (const std::size_t member : members) {
      group_[member] = mix;
      for (const std::size_t value : network_.nodes[member].writes) inside_[value] = true;
    }
  }

  bool is_fusable(std::size_t mix) const {
    const graph::ValueDeclaration& type = network_.values[network_.nodes[mix].writes.front()].type;
    constexpr std::int64_t kWidest = 256;
    constexpr std::int64_t kStep = 8;
    const std::int64_t width = type.shape.empty() ? -1 : type.shape.back();
    return dtype_bytes(type.dtype) == 2 && width > 0 && width <= kWidest && width % kStep == 0;
  }

  /// Where all readers of a value come together, going through element-wise operations only: the
  /// value of a SiLU or GELU is read twice, and both ways end in one product.
  std::optional<std::size_t> meeting(std::size_t value) const {
    const std::vector<std::size_t>& readers = readers_[value];
    if (readers.size() == 1) return readers.front();
    const std::vector<std::size_t> first = chain_from(readers.front());
    for (const std::size_t node : first) {
      const bool common = std::ranges::all_of(readers, [&](std::size_t reader) {
        const std::vector<std::size_t> chain = chain_from(reader);
        return std::ranges::find(chain, node) != chain.end();
      });
      if (common) return node;
    }
    return std::nullopt;
  }

  std::vector<std::size_t> chain_from(std::size_t node) const {
    std::vector<std::size_t> chain;
    for (int step = 0; step < kChain && kind_[node] == OpClass::kPointwise; ++step) {
      chain.push_back(node);
      const std::size_t value = network_.nodes[node].writes.front();
      if (network_.values[value].output || readers_[value].size() != 1) break;
      node = readers_[value].front();
    }
    return chain;
  }

  /// Keeps a value out of memory where what reads it can run in the same kernel.
  void fuse_behind(std::size_t node, std::size_t value) {
    if (internal(value) || readers_[value].empty() || kind_[node] == OpClass::kAlone) return;
    const std::optional<std::size_t> end = meeting(value);
    if (!end) return;
    const OpClass made_by = root_kind_[root(node)];
    const OpClass read_by = root_kind_[root(*end)];
    const bool makes_rows = made_by != OpClass::kPointwise && made_by != OpClass::kOther;
    if (kind_[*end] == OpClass::kPointwise) {
      const bool takes_rows = read_by != OpClass::kPointwise && read_by != OpClass::kOther;
      if (makes_rows && takes_rows) return;  // a kernel has one product or reduction
      const OpClass joined = makes_rows ? made_by : read_by;
      join(node, *end, joined);
      inside_[value] = true;
      for (const std::size_t reader : readers_[value]) {
        for (const std::size_t step : chain_from(reader)) {
          if (step == *end) break;
          join(step, *end, joined);
          inside_[network_.nodes[step].writes.front()] = true;
        }
      }
    } else if (kind_[*end] == OpClass::kLayerNorm && readers_[value].size() == 1 && !makes_rows) {
      join(node, *end, kind_[*end]);
      inside_[value] = true;
    }
  }

  void join(std::size_t node, std::size_t end, OpClass kind) {
    const std::size_t a = root(node);
    const std::size_t b = root(end);
    group_[a] = b;
    root_kind_[b] = kind;
  }

  std::vector<Kernel> kernels() {
    std::map<std::size_t, std::vector<std::size_t>> members;  // by root
    for (std::size_t i = 0; i < network_.nodes.size(); ++i) members[root(i)].push_back(i);
    std::vector<Kernel> result;
    for (const auto& [at, nodes] : members) result.push_back(kernel(at, nodes));
    std::ranges::sort(result, {}, [](const Kernel& kernel) { return kernel.nodes.back(); });
    return result;
  }

  Kernel kernel(std::size_t at, const std::vector<std::size_t>& nodes) const {
    Kernel made{.kind = KernelKind::kOther,
                .name = network_.nodes[nodes.back()].name,
                .nodes = nodes,
                .reads = {},
                .writes = {},
                .pointwise = {}};
    switch (root_kind_[at]) {
      case OpClass::kHeavy:
        made.kind = KernelKind::kHeavy;
        break;
      case OpClass::kLayerNorm:
      case OpClass::kSoftmax:
      case OpClass::kAlone:
        made.kind = KernelKind::kReduction;
        break;
      case OpClass::kPointwise:
        made.kind = KernelKind::kPointwise;
        break;
      case OpClass::kOther:
        break;
    }
    std::map<std::size_t, bool> reads;  // value -> element by element only
    for (const std::size_t node : nodes) {
      for (const std::size_t value : network_.nodes[node].reads) {
        if (inside_[value]) continue;
        const auto [entry, added] = reads.emplace(value, true);
        entry->second = entry->second && kind_[node] == OpClass::kPointwise;
      }
      for (const std::size_t value : network_.nodes[node].writes) {
        if (!inside_[value]) made.writes.push_back(value);
      }
    }
    for (const auto& [value, pointwise] : reads) {
      made.reads.push_back(value);
      if (pointwise) made.pointwise.push_back(value);
    }
    return made;
  }

  /// Kernels of a graph of pictures that depend on none: timesteps, and keys and values of every
  /// cross-attention.
  std::vector<bool> beside_pictures(const std::vector<Kernel>& kernels) const {
    constexpr std::size_t kPictureRank = 4;
    std::vector<bool> pictured(network_.values.size(), false);
    for (std::size_t i = 0; i < network_.values.size(); ++i) {
      const NetworkValue& value = network_.values[i];
      pictured[i] = value.input && value.type.shape.size() == kPictureRank;
    }
    std::vector<bool> result;
    if (std::ranges::find(pictured, true) == pictured.end())
      return std::vector<bool>(kernels.size(), false);
    for (const Kernel& kernel : kernels) {
      const bool reads = std::ranges::any_of(
          kernel.reads, [&](std::size_t value) { return bool{pictured[value]}; });
      for (const std::size_t value : kernel.writes) pictured[value] = reads;
      result.push_back(!reads);
    }
    return result;
  }

  /// What depends on no picture runs first, and its results wait. What only makes graph outputs
  /// runs as soon as its operands are there, so that they can go: a ControlNet's projections, which
  /// the file has at its end.
  std::vector<Kernel> in_order(std::vector<Kernel> kernels) const {
    std::vector<std::size_t> made_at(network_.values.size(), 0);  // position + 1
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      for (const std::size_t value : kernels[k].writes) made_at[value] = k + 1;
    }
    const std::vector<bool> first = beside_pictures(kernels);
    std::vector<std::pair<std::size_t, std::size_t>> keys;  // when, and which
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const bool leaves = std::ranges::all_of(
          kernels[k].writes, [&](std::size_t value) { return network_.values[value].output; });
      std::size_t when = k + 1;
      if (leaves) {
        when = 0;
        for (const std::size_t value : kernels[k].reads) when = std::max(when, made_at[value]);
      }
      // Behind the kernel that it waits for, before the next.
      keys.emplace_back(first[k] ? 0 : 2 * when + (leaves ? 1 : 0), k);
    }
    std::ranges::sort(keys);
    std::vector<Kernel> result;
    for (const auto& [when, k] : keys) result.push_back(std::move(kernels[k]));
    return result;
  }

  const Network& network_;
  std::vector<std::size_t> group_;                    // node -> a node of its group
  std::vector<OpClass> kind_;                         // by node
  std::vector<OpClass> root_kind_;                    // by root
  std::vector<std::vector<std::size_t>> readers_;     // by value
  std::vector<std::optional<std::size_t>> producer_;  // by value
  std::vector<bool> inside_;                          // by value: never in memory
};

}  // namespace

std::vector<Kernel> fuse(const Network& network, Norms norms) {
  return Fusion(network, norms).run();
}

}  // namespace sinter::plan
