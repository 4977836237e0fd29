// Every entry of expected.json, in tests/data/weights, in ../shared/cases where
// that exists, and in the folders of SINTER_CASES (separated by ':'): verdict, identity, warnings.

#include <cstdlib>
#include <set>
#include <sstream>

#include "sinter/base/file.h"
#include "tests/cli/command_test.h"

namespace sinter::cli {
namespace {
namespace fs = std::filesystem;

std::vector<fs::path> case_folders() {
  std::vector<fs::path> found{fs::path(SINTER_TEST_DATA) / "weights"};
  const fs::path shared = fs::path(SINTER_SOURCE_DIR) / "../shared/cases";
  if (fs::exists(shared / "files/expected.json")) found.push_back(shared);
  if (const char* more = std::getenv("SINTER_CASES")) {
    std::stringstream list(more);
    for (std::string folder; std::getline(list, folder, ':');)
      if (!folder.empty()) found.emplace_back(folder);
  }
  return found;
}

/// Whether an entry takes that answer: its own, or one of the others that are right too.
bool takes(const nlohmann::json& entry, const std::string& key, const std::string& also,
           const nlohmann::json& answer) {
  if (!entry.contains(key) || entry.at(key) == answer) return true;
  const nlohmann::json others = entry.value(also, nlohmann::json());
  if (others.is_array()) return std::ranges::find(others, answer) != others.end();
  return !others.is_null() && others == answer;
}

std::set<std::string> words(const nlohmann::json& list) { return {list.begin(), list.end()}; }

using InspectCases = CommandTest;

TEST_F(InspectCases, HaveTheExpectedVerdictIdentityAndWarnings) {
  for (const fs::path& folder : case_folders()) {
    const nlohmann::json cases =
        nlohmann::json::parse(read_text(folder / "files/expected.json")).at("files");
    for (const auto& [name, entry] : cases.items()) {
      const Ended ended = sinter({"inspect", "--json", (folder / "files" / name).string()});
      const nlohmann::json report = nlohmann::json::parse(ended.out);
      EXPECT_TRUE(takes(entry, "verdict", "also", report["verdict"])) << name << report;
      EXPECT_TRUE(takes(entry, "architecture", "also_architecture", report["architecture"]))
          << name << report;
      EXPECT_TRUE(takes(entry, "contents", "also_contents", report["contents"])) << name << report;
      std::set<std::string> warnings = words(report["warnings"]);
      // Files of cut-down checkpoints are told so, whether the list asks for it or not.
      if (report.contains("globals") &&
          !words(entry.value("warnings", nlohmann::json::array())).contains("incomplete"))
        warnings.erase("incomplete");
      EXPECT_EQ(warnings, words(entry.value("warnings", nlohmann::json::array()))) << name;
      EXPECT_TRUE(!entry.contains("devices") || report["devices"] == entry["devices"]) << name;
    }
  }
}

}  // namespace
}  // namespace sinter::cli
