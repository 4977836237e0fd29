#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinter/diagnose/language.h"
#include "sinter/diagnose/memory/trace.h"

namespace sinter::diagnose::memory {

/// What a log of memory shows.
enum class Kind {
  kLeak,                // what is held grows with every round
  kFragmentation,       // what is held does not, but the allocator's share does
  kFirstAllocationOom,  // it does not fit at all
  kDecodeSpike,         // it fits but for the decoding of the latent
  kSeveralModels,       // models that are not needed together are there together
  kHealthy,
};

/// A row of the table of kinds.
struct KindFacts {
  Kind kind;
  std::string_view name;  // "first-allocation-oom"
  Text meaning;
  Text cause;
  std::vector<Text> cures;  // the cheapest first
};

const std::vector<KindFacts>& kinds();

/// A line of the log that proves it.
struct EvidenceLine {
  std::size_t number;
  std::string text;
};

/// A number with its name in JSON; sizes in MB of 2^20 bytes.
using Number = std::pair<std::string_view, double>;

/// A model and the MB that it takes, where the log says so.
using Model = std::pair<std::string, std::optional<double>>;

struct Report {
  Kind kind = Kind::kHealthy;
  std::vector<Number> numbers;                // "slope_mb_per_round", "rounds", ...
  std::vector<Model> resident;                // models on the device
  std::vector<Model> next;                    // the model that found no room
  Stage stage = Stage::kUnknown;              // that was refused
  std::vector<double> rounds_hit;             // in which a refusal was made good
  std::optional<double> first_failing_round;  // 0: before the first round
  std::vector<std::size_t> lines;             // that prove it
  std::optional<double> foreign;              // MB that other programs hold on the device
  bool measured = false;                      // the log has figures of memory, or refusals

  const KindFacts& facts() const;

  /// What usually makes it, and what cures it, the cheapest first; where other programs hold much
  /// of the device, that comes first.
  Text cause() const;
  std::vector<Text> cures() const;
};

/// Decides what the trace shows.
Report judge(const Trace& trace);

}  // namespace sinter::diagnose::memory
