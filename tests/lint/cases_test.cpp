// The scripts of tests/data/lint, of ../shared/cases/lint where that exists, and of the folders of
// SINTER_CASES (separated by ':'), each laid out as DIR/lint/expected.jsonl: one object a script
// with `file`, `clean` and `findings` (rule, line, severity; use_line, use_lines and also_lines
// count as the line). Prints the scores and every miss.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "sinter/base/file.h"
#include "sinter/lint/lint.h"

namespace sinter::lint {
namespace {
namespace fs = std::filesystem;
using Json = nlohmann::json;

std::vector<fs::path> folders() {
  std::vector<fs::path> found{fs::path(SINTER_TEST_DATA)};
  if (const char* more = std::getenv("SINTER_CASES")) {
    std::stringstream list(more);
    for (std::string folder; std::getline(list, folder, ':');)
      if (!folder.empty()) found.emplace_back(folder);
  } else {
    found.push_back(fs::path(SINTER_SOURCE_DIR) / "../shared/cases");
  }
  for (fs::path& folder : found) folder /= "lint";
  std::erase_if(found,
                [](const fs::path& folder) { return !fs::exists(folder / "expected.jsonl"); });
  return found;
}

struct Scores {
  int met = 0;
  int expected = 0;
  int false_alarms = 0;
  int alarms_on_clean = 0;  // errors and warnings
};

std::set<std::uint32_t> lines_of(const Json& finding) {
  std::set<std::uint32_t> lines{finding.at("line").get<std::uint32_t>()};
  if (finding.contains("use_line")) lines.insert(finding["use_line"].get<std::uint32_t>());
  for (const char* more : {"use_lines", "also_lines"})
    if (finding.contains(more))
      for (const Json& line : finding[more]) lines.insert(line.get<std::uint32_t>());
  return lines;
}

bool meets(const Finding& found, const Json& wanted) {
  return rule_info(found.rule).name == wanted.at("rule").get<std::string>() &&
         lines_of(wanted).contains(found.place.line);
}

void judge(const fs::path& folder, const Json& row, Scores& scores) {
  const std::string file = row.at("file");
  const ScriptReport report = check_script(file, read_text(folder / file));
  std::string misses;
  for (const Json& wanted : row.at("findings")) {
    ++scores.expected;
    const bool met = std::any_of(report.findings.begin(), report.findings.end(),
                                 [&](const Finding& found) { return meets(found, wanted); });
    scores.met += met ? 1 : 0;
    if (!met)
      misses += fmt::format("    missed: line {} {}\n", wanted.at("line").get<int>(),
                            wanted.at("rule").get<std::string>());
  }
  for (const Finding& found : report.findings) {
    const Json& all = row.at("findings");
    if (std::any_of(all.begin(), all.end(),
                    [&](const Json& wanted) { return meets(found, wanted); }))
      continue;
    const RuleInfo& info = rule_info(found.rule);
    ++scores.false_alarms;
    if (row.at("clean").get<bool>() && info.severity != Severity::kNote) ++scores.alarms_on_clean;
    misses +=
        fmt::format("    false: line {} {}: {}\n", found.place.line, info.name, found.message);
  }
  if (!misses.empty()) std::cout << "  " << file << "\n" << misses;
}

TEST(LintCases, AreFoundAndNothingElse) {
  for (const fs::path& folder : folders()) {
    Scores scores;
    std::istringstream lines(read_text(folder / "expected.jsonl"));
    for (std::string line; std::getline(lines, line);)
      if (!line.empty()) judge(folder, Json::parse(line), scores);
    std::cout << fmt::format("{}: {}/{} findings, {} false alarms, {} of them on clean scripts\n",
                             folder.string(), scores.met, scores.expected, scores.false_alarms,
                             scores.alarms_on_clean);
    EXPECT_GE(scores.met, 0.95 * scores.expected);
    EXPECT_EQ(scores.alarms_on_clean, 0);
    EXPECT_LE(scores.false_alarms, scores.expected / 20);
  }
}

}  // namespace
}  // namespace sinter::lint
