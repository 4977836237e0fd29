// The logs of tests/data/diagnose, of ../shared/cases where that exists, and of the folders of
// SINTER_CASES (separated by ':'), each laid out as DIR/logs.jsonl: one object a line with `log`,
// `expected` (domain, root_exception, component, side) and `notes` (further domains that are
// right). Prints the scores and every miss.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sinter/base/file.h"
#include "sinter/diagnose/log/diagnosis.h"
#include "tests/diagnose/case_folders.h"

namespace sinter::diagnose::log {
namespace {
namespace fs = std::filesystem;
using Json = nlohmann::json;

std::vector<fs::path> folders() {
  std::vector<fs::path> found = case_roots();
  std::erase_if(found, [](const fs::path& folder) { return !fs::exists(folder / "logs.jsonl"); });
  return found;
}

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : ""; }

/// Blanks count once.
std::string plain(std::string text) {
  RE2::GlobalReplace(&text, R"(\s+)", " ");
  return text;
}

/// Without the class, which the log may not show.
std::string message_of(const std::string& text) {
  std::string copy = plain(text);
  RE2::Replace(&copy, R"(^(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*: )", "");
  return copy;
}

bool contains_either(const std::string& a, const std::string& b) {
  return !a.empty() && !b.empty() && (a.find(b) != a.npos || b.find(a) != b.npos);
}

struct Score {
  int right = 0;
  int all = 0;
  void add(bool ok) {
    right += ok ? 1 : 0;
    ++all;
  }
  double share() const { return all == 0 ? 1 : static_cast<double>(right) / all; }
};

struct Scores {
  Score domain, root, root_with_class, root_equal, component, side, none;
};

std::string side_name(Side side) {
  return side == Side::kModel ? "model" : side == Side::kData ? "data" : "";
}

bool domain_right(const Json& row, const std::string& found) {
  const Json& expected = row.at("expected");
  const std::string want = text_of(expected.at("domain"));
  // The class of exports may be named without its best known member.
  if (want == found || want == found.substr(0, found.find("/constant-folding"))) return true;
  const std::string notes = row.contains("notes") ? text_of(row.at("notes")) : "";
  std::string others;
  if (!RE2::PartialMatch(notes, R"([Aa]lso acceptable domains?: ([^.]*))", &others)) return false;
  return others.find(found) != others.npos;
}

void judge(const Json& row, Scores& scores) {
  const Json& expected = row.at("expected");
  const std::string id = text_of(row.at("id"));
  const Diagnosis diagnosis = diagnose_log(text_of(row.at("log")));
  std::string misses;
  const auto miss = [&](std::string_view what, const std::string& want, const std::string& got) {
    misses += fmt::format("    {}: expected '{}', found '{}'\n", what, want, got);
  };
  if (text_of(expected.at("domain")) == "none") {
    const bool ok = diagnosis.faults.empty();
    scores.domain.add(ok);
    scores.root.add(ok);
    scores.none.add(ok);
    if (!ok) miss("domain", "none", diagnosis.faults.front().root_exception);
  } else {
    const Fault none;
    const bool any = !diagnosis.faults.empty();
    const Fault& fault = any ? diagnosis.faults.front() : none;
    const std::string domain = any ? std::string(domain_name(fault.domain)) : "none";
    const std::string root = text_of(expected.at("root_exception"));
    const bool domain_ok = domain_right(row, domain);
    const bool root_ok = contains_either(message_of(root), message_of(fault.root_exception));
    scores.domain.add(domain_ok);
    scores.root.add(root_ok);
    scores.root_with_class.add(contains_either(plain(root), plain(fault.root_exception)));
    scores.root_equal.add(plain(root) == plain(fault.root_exception));
    if (!domain_ok)
      miss("domain", text_of(expected.at("domain")), domain + " (" + fault.cause + ")");
    if (!root_ok) miss("root", root, fault.root_exception);
    if (const std::string want = text_of(expected.at("component")); !want.empty()) {
      scores.component.add(want == fault.component);
      if (want != fault.component) miss("component", want, fault.component);
    }
    if (const std::string want = text_of(expected.at("side")); !want.empty()) {
      scores.side.add(want == side_name(fault.side));
      if (want != side_name(fault.side)) miss("side", want, side_name(fault.side));
    }
  }
  if (!misses.empty()) std::cout << "  " << id << "\n" << misses;
}

TEST(LogCases, AreDiagnosed) {
  for (const fs::path& folder : folders()) {
    Scores scores;
    std::istringstream lines(read_text(folder / "logs.jsonl"));
    std::size_t number = 0;
    // SINTER_CASES_PART=0 or 1 judges every second case: rules are written on one half and
    // measured on the other.
    const char* part = std::getenv("SINTER_CASES_PART");
    for (std::string line; std::getline(lines, line); ++number) {
      if (line.empty() || (part != nullptr && std::to_string(number % 2) != part)) continue;
      judge(Json::parse(line), scores);
    }
    std::cout << fmt::format(
        "{}: domain {}/{}, root {}/{} (with class {}, equal {}), component {}/{}, side {}/{}, none "
        "{}/{}\n",
        folder.string(), scores.domain.right, scores.domain.all, scores.root.right, scores.root.all,
        scores.root_with_class.right, scores.root_equal.right, scores.component.right,
        scores.component.all, scores.side.right, scores.side.all, scores.none.right,
        scores.none.all);
    EXPECT_GE(scores.domain.share(), 0.95) << folder;
    EXPECT_GE(scores.root.share(), 0.95) << folder;
    EXPECT_GE(scores.component.share(), 0.9) << folder;
    EXPECT_GE(scores.side.share(), 0.9) << folder;
    EXPECT_EQ(scores.none.share(), 1) << folder;
  }
}

}  // namespace
}  // namespace sinter::diagnose::log
