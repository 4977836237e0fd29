#include "sinter/engine/engine_program.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

namespace sinter::engine {
namespace {

/// A program is "descriptors {", lines of tensors, "}", "main {", lines of calls, "}".
constexpr std::string_view kDescriptors = "\ndescriptors {\n";
constexpr std::string_view kMain = "}\nmain {\n";
constexpr std::string_view kEnd = "\n}\n";
constexpr std::string_view kLayer = "[ONNX Layer: ";

/// Longer ones are not the compiler's: bounds what a forged file can ask for.
constexpr std::size_t kLongestName = 4096;
constexpr std::size_t kMostKernels = 1U << 20;

/// The word behind `key`, in quotes or up to a space; nothing where the text has no such key.
std::optional<std::string_view> field(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    if (at > 0 && text[at - 1] != ' ' && text[at - 1] != '{') continue;
    std::string_view rest = text.substr(at + key.size());
    const bool quoted = rest.starts_with('"');
    if (quoted) rest.remove_prefix(1);
    const std::size_t end = rest.find(quoted ? '"' : ' ');
    if (end == std::string_view::npos || end > kLongestName) return std::nullopt;
    return rest.substr(0, end);
  }
  return std::nullopt;
}

/// Types of the tensors by name; views of the text.
using Types = std::map<std::string_view, std::string_view>;

Types tensor_types(std::string_view descriptors) {
  Types types;
  while (!descriptors.empty()) {
    const std::size_t end = descriptors.find('\n');
    const std::string_view line = descriptors.substr(0, end);
    const auto name = field(line, "name=");
    const auto type = field(line, "type=");
    if (name && type) types.emplace(*name, *type);
    descriptors = end == std::string_view::npos ? std::string_view() : descriptors.substr(end + 1);
  }
  return types;
}

std::vector<std::string> layers_of(std::string_view call) {
  std::vector<std::string> layers;
  for (std::size_t at = call.find(kLayer); at != std::string_view::npos;
       at = call.find(kLayer, at)) {
    at += kLayer.size();
    const std::size_t end = call.find(']', at);
    if (end == std::string_view::npos || end - at > kLongestName) break;
    layers.emplace_back(call.substr(at, end - at));
    at = end;
  }
  return layers;
}

/// The first quoted word in the list behind `key`, as output={"a" "b" }.
std::optional<std::string_view> first_of(std::string_view call, std::string_view key) {
  const std::size_t at = call.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t open = call.find('"', at);
  const std::size_t close = open == std::string_view::npos ? open : call.find('"', open + 1);
  if (close == std::string_view::npos) return std::nullopt;
  return call.substr(open + 1, close - open - 1);
}

/// The type of a tensor; a name in a call may carry the number of its use behind the tensor's own.
std::string type_of(const Types& types, std::string_view name) {
  auto found = types.find(name);
  if (found == types.end()) {
    const std::size_t number = name.rfind('_');
    if (number != std::string_view::npos) found = types.find(name.substr(0, number));
  }
  return found == types.end() ? std::string() : std::string(found->second);
}

std::optional<Kernel> read_call(std::string_view call, const Types& types) {
  const std::size_t open = call.find("={ ");
  if (open == std::string_view::npos || open > kLongestName) return std::nullopt;
  Kernel kernel;
  kernel.layers = layers_of(call);
  if (kernel.layers.empty()) return std::nullopt;
  kernel.operation = call.substr(0, open);
  kernel.name = field(call, "name=").value_or("");
  auto result = first_of(call, " output={");
  if (!result) result = first_of(call, " output_args={");
  if (result) kernel.type = type_of(types, *result);
  return kernel;
}

/// Calls begin behind two spaces; a call's list of layers goes over several lines.
std::vector<Kernel> read_calls(std::string_view body, const Types& types) {
  std::vector<Kernel> kernels;
  std::size_t begin = 0;
  while (begin < body.size() && kernels.size() < kMostKernels) {
    std::size_t end = body.find("\n  ", begin);
    if (end == std::string_view::npos) end = body.size();
    std::string_view call = body.substr(begin, end - begin);
    while (call.starts_with(' ') || call.starts_with('\n')) call.remove_prefix(1);
    if (std::optional<Kernel> kernel = read_call(call, types))
      kernels.push_back(std::move(*kernel));
    begin = end + 1;
  }
  return kernels;
}

}  // namespace

EngineProgram read_engine_program(std::span<const std::byte> engine) {
  const std::string_view text(reinterpret_cast<const char*>(engine.data()), engine.size());
  EngineProgram program;
  std::size_t at = 0;
  // Kernels that are assembled at run time carry a program of their own; those say nothing new of
  // the layers, and the engine's own comes first.
  while (program.programs == 0) {
    const std::size_t descriptors = text.find(kDescriptors, at);
    if (descriptors == std::string_view::npos) break;
    const std::size_t main = text.find(kMain, descriptors);
    const std::size_t end = main == std::string_view::npos ? main : text.find(kEnd, main);
    if (end == std::string_view::npos) break;
    const std::size_t body = main + kMain.size();
    const Types types = tensor_types(text.substr(descriptors + kDescriptors.size(),
                                                 main - descriptors - kDescriptors.size() + 1));
    program.kernels = read_calls(text.substr(body - 1, end - body + 1), types);
    program.programs = program.kernels.empty() ? 0 : 1;
    at = end;
  }
  return program;
}

bool is_fused_attention(const Kernel& kernel) {
  constexpr std::string_view kNames[] = {"_gemm_mha", "fmha", "mha_v2"};
  return std::ranges::any_of(
      kNames, [&](std::string_view name) { return kernel.name.find(name) != std::string::npos; });
}

}  // namespace sinter::engine
