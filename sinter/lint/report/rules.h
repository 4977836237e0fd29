#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace sinter::lint {

enum class Severity { kNote, kWarning, kError };

std::string_view severity_name(Severity severity);

enum class Rule {
  kTensorWithoutDevice,
  kNumpyNotMoved,
  kInputsNotMoved,
  kIndexNotMoved,
  kModuleNotMoved,
  kModulesInPlainContainer,
  kPlainTensorAttribute,
  kBufferForcedCpu,
  kForwardTensorWithoutDevice,
  kForwardHardcodedDevice,
  kForwardDeviceMove,
  kToResultDiscarded,
  kMoveSwallowed,
  kStateDictOnCpu,
  kWeightDataReplaced,
  kMixedDeviceArithmetic,
  kMixedCudaIndex,
  kHardcodedDeviceIndex,
  kDeviceOfFirstParameter,
  kDefaultDeviceGlobal,
  kDefaultDeviceIgnored,
  kGeneratorDeviceMismatch,
  kNumpyOnCuda,
  kHalfOnCpu,
  kInputDtypeMismatch,
  kLoadWithoutMapLocation,
  kLoadMapLocationCuda,
  kLoadWeightsOnlyMissing,
  kExportNotEval,
  kExportGradEnabled,
  kExportUnderAutocast,
  kExportOpsetTooLow,
  kExportConstantFoldingOff,
  kExportInputNamesCount,
  kExportDynamicAxesMissing,
  kExportSizeNot64,
  kLoopWithoutNoGrad,
  kGpuResultsKept,
  kVisibleDevicesAfterImport,
  kLaunchBlockingLeftOn,
  kPycudaAutoinitWithTorch,
  kOrtProviderUnchecked,
  kSaveWithoutModeConversion,
  kNonAsciiOutputPath,
};

/// One row per rule: the only place that knows its name, weight and words.
struct RuleInfo {
  Rule rule;
  std::string_view name;
  Severity severity;
  std::string_view meaning;  // one sentence, for lists of rules
  std::string_view why;      // what PyTorch does
  std::string_view repair;
  std::string_view bad;   // a line that is reported
  std::string_view good;  // its repair
};

std::span<const RuleInfo> rules();
const RuleInfo& rule_info(Rule rule);

/// The rule of that name; empty when there is none.
std::optional<Rule> find_rule(std::string_view name);

}  // namespace sinter::lint
