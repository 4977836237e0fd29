#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sinter/lint/lint.h"

namespace sinter::cli {

/// A script that could not be read.
struct LintFailure {
  std::string file;
  std::string message;
};

/// All that `sinter lint` found.
struct LintResult {
  std::vector<lint::ScriptReport> reports;
  std::vector<LintFailure> failures;
  std::size_t fixed = 0;  // findings that --fix repaired
};

/// {findings, errors, scripts}, as docs/cli.md describes it.
nlohmann::ordered_json lint_json(const LintResult& result);

/// SARIF 2.1.0 (OASIS, 27 March 2020): one run, all rules, a fix where there is an edit.
nlohmann::ordered_json lint_sarif(const LintResult& result);

/// Findings by line with the suggested edit below, and a last line that counts them.
void print_lint(const LintResult& result);

/// The change that an edit of a script makes, as a unified diff.
std::string lint_diff(const lint::ScriptReport& report,
                      const std::vector<const lint::Edit*>& edits);

}  // namespace sinter::cli
