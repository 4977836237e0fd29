#include "sinter/runtime/engine_error.h"

#include <fmt/format.h>

#include <cctype>
#include <string>

#include "sinter/base/error.h"

namespace sinter::runtime {
namespace {

bool continues_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '/';
}

}  // namespace

bool names(std::string_view words, std::string_view name) {
  for (std::size_t at = words.find(name); at != std::string_view::npos;
       at = words.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool starts = at == 0 || !continues_name(words[at - 1]);
    const bool ends = end == words.size() || !continues_name(words[end]);
    if (starts && ends) return true;
  }
  return false;
}

namespace {

// The node that the words name, or one of its outputs in quotes: OpenVINO calls a node by those.
// The longest name wins, because a short one may be a word of the message.
std::string node_in(std::string_view words, const graph::OnnxModel& model) {
  std::string best;
  std::size_t best_length = 0;
  const auto consider = [&](const graph::NodeSummary& node, std::size_t length, bool named) {
    if (!named || length <= best_length) return;
    best = node.name;
    best_length = length;
  };
  for (const graph::NodeSummary& node : model.nodes()) {
    if (node.name.empty()) continue;
    consider(node, node.name.size(), names(words, node.name));
    for (const std::string& output : node.outputs) {
      const std::string quoted = "'" + output + "'";
      consider(node, output.size(), words.find(quoted) != std::string_view::npos);
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
