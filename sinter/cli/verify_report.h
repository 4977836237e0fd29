#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sinter/verify/bisect.h"
#include "sinter/verify/verify.h"

namespace sinter::cli {

/// A graph on an engine, as reports name it.
struct ReportedSide {
  std::filesystem::path model;
  std::string engine;
  DType compute;
};

/// What bisection of one graph came to.
struct Bisection {
  ReportedSide suspect;
  std::optional<ReportedSide> reference;  // none where only NaN and infinity were looked for
  std::optional<verify::Tolerance> tolerance;
  std::optional<verify::BisectFinding> finding;
};

/// What `sinter verify` found.
struct VerifyOutcome {
  std::vector<verify::GraphResult> graphs;
  std::vector<Bisection> bisections;

  bool passed() const;
};

void print_text(const VerifyOutcome& outcome);

/// The keys are those of docs/cli.md.
nlohmann::ordered_json to_json(const VerifyOutcome& outcome);

}  // namespace sinter::cli
