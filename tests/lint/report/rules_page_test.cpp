// docs/lint.md ends with the table of rules, which is written from the program's own.
// SINTER_UPDATE_DOCS=1 writes it anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "sinter/base/file.h"
#include "tests/lint/script_test.h"

namespace sinter::lint {
namespace {
namespace fs = std::filesystem;

std::string rules_section() {
  std::string text = "## Rules\n";
  for (const RuleInfo& info : rules()) {
    text += fmt::format("\n### {}\n\n{}: {}. {}\n\n    {}\n\nRepair: {}.\n\n    {}\n", info.name,
                        severity_name(info.severity), info.meaning, info.why, info.bad, info.repair,
                        info.good);
  }
  return text;
}

TEST(RulesPage, IsTheTableOfTheProgram) {
  const fs::path path = fs::path(SINTER_SOURCE_DIR) / "docs/lint.md";
  const std::string page = read_text(path);
  const std::size_t begin = page.find("## Rules\n");
  ASSERT_NE(begin, page.npos);
  if (std::getenv("SINTER_UPDATE_DOCS") != nullptr)
    std::ofstream(path) << page.substr(0, begin) + rules_section();
  EXPECT_EQ(read_text(path).substr(begin), rules_section())
      << "docs/lint.md is stale; `SINTER_UPDATE_DOCS=1 lint_test` writes its last section";
}

TEST(RulesPage, EveryRuleHasARowAndANameOfItsOwn) {
  std::set<std::string_view> names;
  for (const RuleInfo& info : rules()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(find_rule(info.name), info.rule);
    EXPECT_FALSE(info.why.empty()) << info.name;
  }
  EXPECT_EQ(find_rule("no-such-rule"), std::nullopt);
}

TEST(RulesPage, EveryRuleIsInTheScriptsOfTheTests) {
  const std::string expected = read_text(fs::path(SINTER_TEST_DATA) / "lint/expected.jsonl");
  for (const RuleInfo& info : rules())
    EXPECT_NE(expected.find(fmt::format("\"rule\": \"{}\"", info.name)), expected.npos)
        << info.name;
}

}  // namespace
}  // namespace sinter::lint
