// The section of docs/errors.md about other programs against the table of rules, so that it cannot
// go stale. SINTER_UPDATE_DOCS=1 writes it anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "sinter/base/file.h"
#include "sinter/diagnose/log/rule.h"

namespace sinter::diagnose::log {
namespace {

constexpr std::string_view kHead = "\n## Messages of other programs\n";

/// Meaning, fixes and confirmation as one paragraph.
std::string paragraph(const Cause& cause, Language language) {
  const bool chinese = language == Language::kChinese;
  std::string text(cause.meaning.in(language));
  int number = 0;
  for (const Text& fix : cause.fixes) {
    if (fix.english.empty()) continue;
    text += number++ == 0 ? (chinese ? "**办法：**" : " **To do:** ") : (chinese ? "；" : "; ");
    text += fmt::format("({}) {}", number, fix.in(language));
  }
  if (!cause.confirm.english.empty())
    text += fmt::format("{}{}", chinese ? "。**确认：**" : ". **To confirm:** ",
                        cause.confirm.in(language));
  return text + "\n";
}

std::string section_of(const Cause& cause, const std::string& examples) {
  return fmt::format("\n#### {}\n\n{}\n{}\n{}", cause.id, examples,
                     paragraph(cause, Language::kEnglish), paragraph(cause, Language::kChinese));
}

/// Everything that `sinter diagnose` knows, by domain: messages, meaning, fixes, in both languages.
std::string section() {
  std::map<std::string_view, std::string> examples;
  for (const RuleSet& set : rule_sets())
    for (const Pattern& pattern : set.patterns)
      examples[pattern.cause] += fmt::format("    {}\n", pattern.example);
  std::string page(kHead);
  page +=
      "\nWhat `sinter diagnose` knows of the logs of other programs. Made from its table of rules "
      "(`sinter/diagnose/log/rules`), a message for each\nof its patterns; `SINTER_UPDATE_DOCS=1 "
      "diagnose_test` writes it anew. "
      "每一条先是日志中的报错原文，然后是英文与中文的含义和解决办法。\n";
  for (int domain = 0; domain < kDomains; ++domain) {
    page += fmt::format("\n### {}\n", domain_name(static_cast<Domain>(domain)));
    for (const RuleSet& set : rule_sets()) {
      for (const Cause& cause : set.causes)
        if (static_cast<int>(cause.domain) == domain && !cause.fixes.front().english.empty())
          page += section_of(cause, examples[cause.id]);
    }
  }
  page +=
      "\n### No fault\n\nThese lines sound like trouble and are none. "
      "以下内容看似报错，其实无需处理。\n\n";
  for (const RuleSet& set : rule_sets())
    for (const Pattern& pattern : set.patterns)
      if (pattern.weight == Weight::kHarmless) page += fmt::format("    {}\n", pattern.example);
  return page;
}

TEST(LogManual, HasEveryCauseInBothLanguages) {
  const std::filesystem::path path = std::filesystem::path(SINTER_SOURCE_DIR) / "docs/errors.md";
  std::string page = read_text(path);
  const std::size_t begin = std::min(page.find(kHead), page.size());
  if (std::getenv("SINTER_UPDATE_DOCS") != nullptr) {
    page = page.substr(0, begin) + section();
    std::ofstream(path) << page;
  }
  EXPECT_TRUE(page.substr(begin) == section())
      << "docs/errors.md is stale; `SINTER_UPDATE_DOCS=1 diagnose_test` writes its last section";
}

}  // namespace
}  // namespace sinter::diagnose::log
