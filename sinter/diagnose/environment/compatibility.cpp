#include "sinter/diagnose/environment/compatibility.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "sinter/diagnose/environment/version.h"

namespace sinter::diagnose::environment {
namespace {

/// Packages whose own requirements are held against what is installed.
constexpr std::array kWatched{"accelerate",
                              "bitsandbytes",
                              "controlnet-aux",
                              "diffusers",
                              "flash-attn",
                              "huggingface-hub",
                              "kornia",
                              "onnx",
                              "onnxruntime",
                              "onnxruntime-gpu",
                              "onnxruntime-directml",
                              "open-clip-torch",
                              "optimum",
                              "optimum-onnx",
                              "peft",
                              "pytorch-lightning",
                              "safetensors",
                              "tensorrt",
                              "timm",
                              "tokenizers",
                              "torch",
                              "torch-tensorrt",
                              "torchaudio",
                              "torchvision",
                              "transformers",
                              "triton",
                              "xformers"};

constexpr Text kRequirement{"its own metadata asks for it", "包自身的元数据要求如此"};

constexpr std::string_view kOwnMetadata = "Requires-Dist of the installed package";

struct Requirement {
  std::string name;
  std::string specifiers;
};

/// A requirement that holds on every machine; nothing for those with a marker (extras, platforms,
/// other Pythons), which may not apply here.
std::optional<Requirement> unconditional(const std::string& text) {
  static const RE2 pattern(R"(\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*\(?([^;()@]*)\)?\s*)");
  Requirement requirement;
  if (!RE2::FullMatch(text, pattern, &requirement.name, &requirement.specifiers))
    return std::nullopt;
  requirement.name = normalized(requirement.name);
  while (requirement.specifiers.ends_with(' ')) requirement.specifiers.pop_back();
  return requirement;
}

std::string named(const Package& package) {
  return fmt::format("{} {}", package.name, package.version);
}

}  // namespace

std::vector<Verdict> package_verdicts(const PythonEnvironment& environment) {
  std::vector<Verdict> verdicts;
  std::set<std::pair<std::string, std::string>> judged;
  const auto judge = [&](const Package& left, const std::string& right_name,
                         std::string_view specifiers, const Text& why, std::string_view source) {
    const Package* right = environment.find(right_name);
    if (right == nullptr || specifiers.empty()) return;
    const Version other = parse_version(right->version);
    if (!other.known() || !judged.emplace(left.name, right_name).second) return;
    verdicts.push_back({environment.path, named(left), named(*right), satisfies(other, specifiers),
                        fmt::format("{} {}", right_name, specifiers), why, source});
  };
  // What a package says of itself goes before the table, which is for those that say nothing.
  for (const char* name : kWatched) {
    const Package* left = environment.find(name);
    if (left == nullptr) continue;
    for (const std::string& text : left->requires_dist)
      if (const auto requirement = unconditional(text))
        judge(*left, requirement->name, requirement->specifiers, kRequirement, kOwnMetadata);
  }
  for (const PairRule& rule : pair_rules()) {
    const Package* left = environment.find(std::string(rule.left));
    if (left == nullptr) continue;
    const Version version = parse_version(left->version);
    if (version.known() && satisfies(version, rule.when))
      judge(*left, std::string(rule.right), rule.needs, rule.why, rule.source);
  }
  return verdicts;
}

}  // namespace sinter::diagnose::environment
