#pragma once

#include "sinter/diagnose/log/rule.h"

// One table a file; rules.cpp puts them together in the order in which they are tried.
namespace sinter::diagnose::log::rules {

extern const RuleSet kHarmlessRules;
extern const RuleSet kDeviceRules;
extern const RuleSet kVramRules;
extern const RuleSet kPrecisionRules;
extern const RuleSet kOutputRules;
extern const RuleSet kExportRules;
extern const RuleSet kTensorRtBuildRules;
extern const RuleSet kTensorRtRuntimeRules;
extern const RuleSet kProviderRules;
extern const RuleSet kModelRules;
extern const RuleSet kConfigRules;
extern const RuleSet kDependencyRules;
extern const RuleSet kLibraryRules;
extern const RuleSet kFilesystemRules;
extern const RuleSet kUserCodeRules;

}  // namespace sinter::diagnose::log::rules
