#include "sinter/runtime/engine_error.h"

#include <fmt/format.h>

#include <string>

#include "sinter/base/error.h"

namespace sinter::runtime {
namespace {

// The longest name wins: "mid.0/Add" also stands in "mid.0/Add_1".
std::string node_in(std::string_view words, const graph::OnnxModel& model) {
  std::string best;
  for (const graph::NodeSummary& node : model.nodes()) {
    if (node.name.size() > best.size() && words.find(node.name) != std::string_view::npos) {
      best = node.name;
    }
  }
  return best;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \n\r\t");
  return text.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

}  // namespace

void throw_engine_error(std::string_view engine, std::string_view doing,
                        const graph::OnnxModel& model, std::string_view words) {
  Error error(ErrorCode::kRuntime, fmt::format("{}: {}", engine, trimmed(words)));
  if (const std::string node = node_in(words, model); !node.empty()) {
    const std::size_t slash = node.rfind('/');
    error.add_context(slash == std::string::npos ? fmt::format("{} node '{}'", doing, node)
                                                 : fmt::format("{} node '{}' of module '{}'", doing,
                                                               node, node.substr(0, slash)));
  }
  error.add_context(fmt::format("{} {}", doing, model.path().string()));
  throw error;
}

}  // namespace sinter::runtime
