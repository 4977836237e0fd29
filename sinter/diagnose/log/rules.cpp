#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "sinter/diagnose/log/rule.h"
#include "sinter/diagnose/log/rules/tables.h"

namespace sinter::diagnose::log {
namespace {

// In the order in which patterns are tried: a message that names its cause before one that could be
// part of another message.
const std::array<RuleSet, 15>& sets() {
  static const std::array<RuleSet, 15> table{
      rules::kHarmlessRules,  rules::kDeviceRules,          rules::kVramRules,
      rules::kPrecisionRules, rules::kTensorRtRuntimeRules, rules::kTensorRtBuildRules,
      rules::kProviderRules,  rules::kConfigRules,          rules::kLibraryRules,
      rules::kExportRules,    rules::kModelRules,           rules::kDependencyRules,
      rules::kOutputRules,    rules::kFilesystemRules,      rules::kUserCodeRules};
  return table;
}

constexpr std::array<std::string_view, kDomains> kDomainNames{"dependency",
                                                              "model",
                                                              "vram",
                                                              "precision",
                                                              "output",
                                                              "device-mismatch",
                                                              "onnx-export/constant-folding",
                                                              "tensorrt-build",
                                                              "tensorrt-runtime",
                                                              "onnxruntime-provider",
                                                              "tokenizer/config",
                                                              "filesystem",
                                                              "user-code"};

}  // namespace

std::string_view domain_name(Domain domain) {
  return kDomainNames.at(static_cast<std::size_t>(domain));
}

std::span<const RuleSet> rule_sets() { return sets(); }

const Cause& cause_of(std::string_view id) {
  for (const RuleSet& set : sets()) {
    const auto row = std::find_if(set.causes.begin(), set.causes.end(),
                                  [&](const Cause& cause) { return cause.id == id; });
    if (row != set.causes.end()) return *row;
  }
  throw std::out_of_range("no cause is called " + std::string(id));
}

}  // namespace sinter::diagnose::log
