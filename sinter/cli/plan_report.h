#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sinter/plan/card.h"
#include "sinter/plan/plan.h"
#include "sinter/plan/planned_graph.h"

namespace sinter::cli {

/// Engines of one reach, to be compared with others.
struct ComparedEngines {
  std::string name;  // "one size", "narrow", "wide"
  plan::Sizes sizes;
  bool planned;  // those of the plan
  plan::Need all_loaded;
  plan::Need one_at_a_time;
};

/// What a card of this memory takes.
struct CardReport {
  std::string name;  // "rtx4090", or as --vram said it
  std::uint64_t memory_bytes;
  bool fits_all_loaded;  // the engines of the plan
  bool fits_one_at_a_time;
  plan::Limit limit;
  std::vector<plan::Remedy> remedies;
};

/// What a graph's memory is made of.
struct GraphPeak {
  std::string folder;
  plan::Part part;
  DType compute;
  bool fixed;           // to one size
  plan::Ledger ledger;  // of the planned engine
};

/// What `sinter plan` found.
struct PlanOutcome {
  plan::Plan plan;
  std::vector<GraphPeak> peaks;
  std::vector<ComparedEngines> engines;
  std::optional<CardReport> card;
  std::vector<std::string> trtexec;  // command lines
  std::vector<std::string> notes;
};

void print_text(const PlanOutcome& outcome);

/// The keys are those of docs/cli.md.
nlohmann::ordered_json to_json(const PlanOutcome& outcome);

}  // namespace sinter::cli
