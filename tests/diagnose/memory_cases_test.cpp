// Memory logs of a known kind: every one has to be right, its slope within the larger of 10 % and
// 3 MB a round. Prints the score and every miss.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sinter/base/file.h"
#include "sinter/diagnose/memory/memory_log.h"
#include "sinter/diagnose/memory/trace_reader.h"
#include "tests/diagnose/case_folders.h"

namespace sinter::diagnose::memory {
namespace {

Report read(const std::filesystem::path& path) {
  TraceReader reader;
  reader.feed(read_text(path));
  return judge(reader.finish());
}

/// What is wrong with the report, or "".
std::string fault(const Report& report, const nlohmann::json& row) {
  std::string faults;
  if (report.facts().name != row.at("class").get<std::string>())
    faults += fmt::format(" is called {}", report.facts().name);
  for (const std::string_view name : {"slope_mb_per_round", "reserved_slope_mb_per_round"}) {
    const auto expected = row.at("evidence").find(name);
    if (expected == row.at("evidence").end()) continue;
    const auto found = std::ranges::find(report.numbers, name, &Number::first);
    const double wanted = *expected;
    if (found == report.numbers.end() ||
        std::abs(found->second - wanted) > std::max(0.1 * std::abs(wanted), 3.0))
      faults += fmt::format(" {} {}, expected {}", name,
                            found == report.numbers.end() ? NAN : found->second, wanted);
  }
  const auto& round = row.at("first_failing_round");
  const bool same = round.is_null() ? !report.first_failing_round
                                    : report.first_failing_round == round.get<double>();
  if (!same)
    faults += fmt::format(" fails in {}, expected {}", report.first_failing_round.value_or(-1),
                          round.dump());
  return faults;
}

TEST(MemoryCases, AllAreRight) {
  for (const CaseFolder& folder : case_folders("memlog")) {
    int right = 0;
    for (const auto& row : folder.expected.at("logs")) {
      const std::string name = row.at("file");
      const std::string faults = fault(read(folder.path / name), row);
      EXPECT_EQ(faults, "") << name;
      right += faults.empty() ? 1 : 0;
    }
    fmt::print("{}: {} of {} logs right\n", folder.path.string(), right,
               folder.expected.at("logs").size());
  }
}

}  // namespace
}  // namespace sinter::diagnose::memory
