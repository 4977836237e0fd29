#pragma once

#include <array>
#include <span>
#include <string_view>

#include "sinter/diagnose/language.h"

namespace sinter::diagnose::log {

/// What kind of thing is at fault.
enum class Domain {
  kDependency,
  kModel,
  kVram,
  kPrecision,
  kOutput,
  kDeviceMismatch,
  kOnnxExport,
  kTensorRtBuild,
  kTensorRtRuntime,
  kOnnxRuntimeProvider,
  kTokenizerConfig,
  kFilesystem,
  kUserCode,
};
inline constexpr int kDomains = 13;

/// As in JSON: "device-mismatch".
std::string_view domain_name(Domain domain);

/// Which of the things that met is wrong: a parameter of the model, or what was fed to it.
enum class Side { kUnknown, kModel, kData };

/// How much a message says. A log's faults are the causes in it; symptoms count where no cause is
/// told, suspicions where there is no error at all, harmless lines never.
enum class Weight { kCause, kSymptom, kSuspicion, kHarmless };

/// How the captures of a pattern are read further (see refine.h).
enum class Reading {
  kPlain,
  kDevices,      // two places, of which one belongs to a named argument
  kTypes,        // two tensor types, which differ in place or in precision
  kMemory,       // an allocation and the state of the memory
  kChannels,     // two sizes that name families
  kCapability,   // a compute capability and those that a build has
  kVersions,     // a version found and one wanted
  kProfile,      // a request and the range of a profile
  kRevokes,      // a harmless line that says the same of the line before it
  kAnnounces,    // a harmless line that says the same of the stack right below it
  kConsequence,  // a line that only says that what an earlier one tells was in vain
  kHeading,      // the lines below it, of the same message, say more
};

/// What is wrong and what to do; every pattern leads to one.
struct Cause {
  std::string_view id;  // unique, "vram-fragmented"
  Domain domain;
  Text meaning;
  std::array<Text, 4> fixes{};  // cheapest first; empty ones at the end
  Text confirm{};               // what to run or look at
};

/// One wording of one tool. RE2; named groups: op, arg (operator and argument), x and y (devices),
/// and what the reading asks for.
struct Pattern {
  std::string_view cause;
  std::string_view pattern;
  std::string_view example;  // a line of a log, as the tool writes it
  Weight weight = Weight::kCause;
  std::string_view type{};       // the exception's class, for logs that show its message alone
  std::string_view component{};  // where it is always the same one
  std::string_view operation{};  // where it is always the same one
  std::string_view argument{};
  Side side = Side::kUnknown;
  Reading reading = Reading::kPlain;
};

/// The rules of one domain.
struct RuleSet {
  std::span<const Cause> causes;
  std::span<const Pattern> patterns;
};

/// All rules, by domain. An earlier pattern wins over a later one on the same text.
std::span<const RuleSet> rule_sets();

/// @throws std::out_of_range for an id that is in no table (our own bug).
const Cause& cause_of(std::string_view id);

}  // namespace sinter::diagnose::log
