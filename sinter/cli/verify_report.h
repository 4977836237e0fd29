#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "sinter/verify/bisect.h"
#include "sinter/verify/verify.h"

namespace sinter::cli {

/// A fault that bisection found in one graph.
struct Fault {
  std::filesystem::path model;
  verify::BisectFinding finding;
};

/// What `sinter verify` found.
struct VerifyOutcome {
  std::vector<verify::GraphResult> graphs;
  std::vector<Fault> faults;
  bool bisected = false;

  bool passed() const;
};

void print_text(const VerifyOutcome& outcome);

/// The keys are those of docs/cli.md.
nlohmann::ordered_json to_json(const VerifyOutcome& outcome);

}  // namespace sinter::cli
