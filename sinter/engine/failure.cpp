#include "sinter/engine/failure.h"

#include <fmt/format.h>

#include <string>

#include "sinter/base/message.h"

namespace sinter::engine {
namespace {

/// Words of the libraries whose cause is known, and what to do.
struct KnownCause {
  std::string_view words;
  std::string_view hint;
};

constexpr KnownCause kBuildCauses[] = {
    {"for Turing (SM75)",
     "Turing has no such operation in this type: convert with --vae-precision fp16, or leave sm75 "
     "out"},
    {"Could not find any implementation for node",
     "the workspace is too small for every kernel: give a larger --workspace, or a smaller maximum "
     "size"},
    {"OutOfMemory", "not enough memory: build one graph at a time, or with a smaller maximum size"},
    {"out of memory",
     "not enough memory: build one graph at a time, or with a smaller maximum size"},
    {"CUDA",
     "this build needs a GPU and its driver; --engine trt-rtx builds without one, but for --strip "
     "and --refittable"},
};

constexpr KnownCause kLoadCauses[] = {
    {"ersion tag", "it was written by another version of the library: build it again"},
    {"ompute capability", "it is for another GPU: sinter engines says which one serves this"},
    {"no CUDA-capable device", "loading an engine needs an NVIDIA GPU"},
    {"CUDA", "loading an engine needs an NVIDIA GPU and its driver; sinter doctor looks at both"},
};

std::string hint_for(std::span<const KnownCause> causes, std::string_view words) {
  for (const KnownCause& cause : causes)
    if (words.find(cause.words) != std::string_view::npos) return std::string(cause.hint);
  return {};
}

std::string library(Flavour flavour, Version version) {
  return fmt::format("{} {}", flavour_info(flavour).name, version.text());
}

/// The text between the first quotes, or a node in braces: "node {ForeignNode[a...b]}".
std::string_view named_in(std::string_view words) {
  for (const auto& [open, close] : {std::pair{'\'', '\''}, std::pair{'{', '}'}}) {
    const std::size_t begin = words.find(open);
    if (begin == std::string_view::npos) continue;
    const std::size_t end = words.find(close, begin + 1);
    if (end != std::string_view::npos) return words.substr(begin + 1, end - begin - 1);
  }
  return {};
}

/// "down_blocks.0.attentions.0.norm/Cast" is of the module "down_blocks.0.attentions.0.norm".
std::string_view module_of(std::string_view node) {
  const std::size_t slash = node.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : node.substr(0, slash);
}

}  // namespace

Error parser_failure(Flavour flavour, Version version, const std::filesystem::path& model,
                     std::span<const ParserError> errors, std::string_view log) {
  if (errors.empty()) {
    return {ErrorCode::kUnsupported,
            fmt::format("{} cannot parse {}: {}", library(flavour, version), model.string(),
                        shown(log))};
  }
  const ParserError& first = errors.front();
  const std::string_view module = module_of(first.node);
  std::string message =
      first.node.empty()
          ? fmt::format("{} refuses {}: {}", library(flavour, version), model.string(),
                        shown(first.message))
          : fmt::format("{} refuses node '{}' ({}) of {}: {}", library(flavour, version),
                        shown(first.node), shown(first.op), model.string(), shown(first.message));
  if (errors.size() > 1) message += fmt::format(" (and {} more)", errors.size() - 1);
  Error error(ErrorCode::kUnsupported, std::move(message));
  if (!module.empty()) error.add_context(fmt::format("parsing module {}", shown(module)));
  return error;
}

Error build_failure(Flavour flavour, Version version, const std::filesystem::path& model,
                    std::string_view words) {
  Error error(ErrorCode::kRuntime,
              fmt::format("{} could not build {}: {}", library(flavour, version), model.string(),
                          shown(words)),
              hint_for(kBuildCauses, words));
  const std::string_view module = module_of(named_in(words));
  if (!module.empty()) error.add_context(fmt::format("building module {}", shown(module)));
  return error;
}

Error load_failure(Flavour flavour, Version version, std::string_view words) {
  return {ErrorCode::kRuntime,
          fmt::format("{} cannot load the engine: {}", library(flavour, version), shown(words)),
          hint_for(kLoadCauses, words)};
}

}  // namespace sinter::engine
