#include "sinter/runtime/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "sinter/base/dtype.h"
#include "sinter/runtime/engine_error.h"

namespace sinter::runtime {
namespace {

// What engines and providers say of a node that a provider does not take, by a part of the message.
struct CauseRow {
  std::string_view words;
  std::string_view cause;
};

constexpr std::array kCauses{
    CauseRow{"Force fallback to CPU",
             "kept on the CPU on purpose: it computes sizes, which the CPU has to know"},
    CauseRow{"kernel not found", "the provider has no kernel for {} of these types"},
    CauseRow{"kernel is not found", "the provider has no kernel for {} of these types"},
    CauseRow{"excluded due to unsupported data types", "its types are not the provider's"},
    CauseRow{"is not supported", "the provider does not support this {}"},
};

constexpr std::size_t kMostWords = 200;

class Causes {
 public:
  Causes(const graph::OnnxModel& model, std::span<const std::string> messages)
      : messages_(messages) {
    for (const auto& values : {model.values(), model.outputs()}) {
      for (const graph::ValueDeclaration& value : values) types_.emplace(value.name, value.dtype);
    }
    for (const graph::NodeSummary& node : model.nodes()) nodes_.emplace(node.name, node);
  }

  std::string of(const PlacedNode& node) const {
    for (const std::string& message : messages_) {
      if (node.name.empty() || !names(message, node.name)) continue;
      for (const CauseRow& row : kCauses) {
        if (message.find(row.words) != std::string::npos)
          return fmt::format(fmt::runtime(row.cause), node.op);
      }
    }
    if (computes_integers(node)) return "it computes with whole numbers, which is left to the CPU";
    for (const std::string& message : messages_) {
      if (!node.name.empty() && names(message, node.name) && !is_placement(message))
        return fmt::format("the engine says: {}", message.substr(0, kMostWords));
    }
    return "the provider did not take it, and does not say why";
  }

 private:
  // The lists of what is where repeat the question.
  static bool is_placement(std::string_view message) {
    return message.find("placed on") != std::string_view::npos ||
           message.find("Node placements") != std::string_view::npos;
  }

  bool computes_integers(const PlacedNode& node) const {
    const auto known = nodes_.find(node.name);
    if (known == nodes_.end() || known->second.outputs.empty()) return false;
    return std::ranges::all_of(known->second.outputs, [&](const std::string& output) {
      const auto type = types_.find(output);
      return type != types_.end() && !is_floating(type->second);
    });
  }

  std::span<const std::string> messages_;
  std::map<std::string, DType, std::less<>> types_;
  std::map<std::string, graph::NodeSummary, std::less<>> nodes_;
};

}  // namespace

Placement placement_of(std::span<const PlacedNode> nodes, const graph::OnnxModel& model,
                       std::span<const std::string> engine_messages) {
  const Causes causes(model, engine_messages);
  std::map<std::string, std::size_t> counts;
  Placement placement{.known = true, .providers = {}, .fallen = {}};
  for (const PlacedNode& node : nodes) {
    ++counts[node.provider];
    if (node.provider == kCpuProvider)
      placement.fallen.push_back({node.name, node.op, causes.of(node)});
  }
  for (const auto& [provider, count] : counts) placement.providers.push_back({provider, count});
  return placement;
}

}  // namespace sinter::runtime
