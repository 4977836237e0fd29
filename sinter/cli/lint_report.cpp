#include "sinter/cli/lint_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <string_view>

#include "sinter/cli/text.h"
#include "sinter/cli/version.h"
#include "sinter/lint/report/edits.h"

namespace sinter::cli {
using Json = nlohmann::ordered_json;
using lint::Finding;
using lint::RuleInfo;
using lint::ScriptReport;
using lint::Severity;
namespace {

/// A path as a relative or absolute URI reference.
std::string uri_of(const std::string& path) {
  std::string uri;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::string_view("/-._~").find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", byte);
    }
  }
  return uri;
}

/// A report and where its lines are.
struct Indexed {
  explicit Indexed(const ScriptReport& r) : report(r), lines(r.text) {}
  const ScriptReport& report;
  const lint::LineTable lines;
};

Json region(const lint::LineTable& lines, std::size_t begin, std::size_t end) {
  return {{"startLine", lines.line_at(begin)},
          {"startColumn", lines.column_at(begin)},
          {"endLine", lines.line_at(end)},
          {"endColumn", lines.column_at(end)}};
}

Json location(const Indexed& script, const lint::Place& place) {
  return {{"physicalLocation",
           {{"artifactLocation", {{"uri", uri_of(script.report.path)}}},
            {"region", region(script.lines, place.begin, place.end)}}}};
}

Json sarif_rules() {
  Json all = Json::array();
  for (const RuleInfo& info : lint::rules()) {
    all.push_back({{"id", info.name},
                   {"shortDescription", {{"text", info.meaning}}},
                   {"fullDescription", {{"text", info.why}}},
                   {"help", {{"text", info.repair}}},
                   {"defaultConfiguration", {{"level", severity_name(info.severity)}}}});
  }
  return all;
}

Json sarif_result(const Indexed& script, const Finding& finding) {
  const RuleInfo& info = lint::rule_info(finding.rule);
  Json result{{"ruleId", info.name},
              {"ruleIndex", &info - lint::rules().data()},
              {"level", severity_name(info.severity)},
              {"message", {{"text", finding.message}}},
              {"locations", Json::array({location(script, finding.place)})}};
  if (finding.use.known()) {
    Json used = location(script, finding.use);
    used["message"] = {{"text", "where it shows"}};
    result["relatedLocations"] = Json::array({std::move(used)});
  }
  if (finding.edit.empty()) return result;
  Json replacements = Json::array();
  for (const lint::Replacement& replacement : finding.edit.replacements) {
    replacements.push_back(
        {{"deletedRegion", region(script.lines, replacement.begin, replacement.end)},
         {"insertedContent", {{"text", replacement.text}}}});
  }
  result["fixes"] =
      Json::array({{{"description", {{"text", info.repair}}},
                    {"artifactChanges",
                     Json::array({{{"artifactLocation", {{"uri", uri_of(script.report.path)}}},
                                   {"replacements", std::move(replacements)}}})}}});
  return result;
}

/// The changed lines of a diff, without its head.
void print_changes(const std::string& diff) {
  constexpr std::size_t kWidest = 300;  // of what is shown; the edit itself is in --diff
  std::istringstream lines(diff);
  for (std::string line; std::getline(lines, line);) {
    const bool changed = line.starts_with('-') || line.starts_with('+');
    if (!changed || line.starts_with("--- a/") || line.starts_with("+++ b/")) continue;
    if (line.ends_with('\r')) line.pop_back();
    if (line.size() > kWidest) line = line.substr(0, kWidest) + " ...";
    print_words(stdout, "    {}\n", line);
  }
}

std::string counted(std::size_t count, std::string_view word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

}  // namespace

std::string lint_diff(const ScriptReport& report, const std::vector<const lint::Edit*>& edits) {
  return lint::unified_diff(report.path, report.text, lint::apply_edits(report.text, edits));
}

Json lint_json(const LintResult& result) {
  Json findings = Json::array();
  for (const ScriptReport& report : result.reports) {
    const lint::LineTable lines(report.text);
    for (const Finding& finding : report.findings) {
      const RuleInfo& info = lint::rule_info(finding.rule);
      Json item{{"file", report.path},
                {"line", finding.place.line},
                {"column", lines.column_at(finding.place.begin)},
                {"rule", info.name},
                {"severity", severity_name(info.severity)},
                {"message", finding.message},
                {"repair", info.repair}};
      if (finding.use.known()) item["use_line"] = finding.use.line;
      if (!finding.edit.empty()) {
        item["edit"] = lint::edit_diff(report.path, report.text, lines, finding.edit);
        item["safe"] = finding.edit.safe;
      }
      findings.push_back(std::move(item));
    }
  }
  Json errors = Json::array();
  for (const LintFailure& failure : result.failures)
    errors.push_back({{"file", failure.file}, {"message", failure.message}});
  return {{"findings", std::move(findings)},
          {"errors", std::move(errors)},
          {"scripts", result.reports.size() + result.failures.size()},
          {"fixed", result.fixed}};
}

Json lint_sarif(const LintResult& result) {
  Json results = Json::array();
  for (const ScriptReport& report : result.reports) {
    const Indexed script(report);
    for (const Finding& finding : report.findings) results.push_back(sarif_result(script, finding));
  }
  Json notifications = Json::array();
  for (const LintFailure& failure : result.failures)
    notifications.push_back({{"level", "error"}, {"message", {{"text", failure.message}}}});
  return {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs",
       Json::array(
           {{{"tool",
              {{"driver", {{"name", "sinter"}, {"version", kVersion}, {"rules", sarif_rules()}}}}},
             {"columnKind", "unicodeCodePoints"},
             {"invocations",
              Json::array({{{"executionSuccessful", result.failures.empty()},
                            {"toolExecutionNotifications", std::move(notifications)}}})},
             {"results", std::move(results)}}})}};
}

void print_lint(const LintResult& result) {
  std::array<std::size_t, 3> counts{};
  for (const ScriptReport& report : result.reports) {
    const lint::LineTable lines(report.text);
    for (const Finding& finding : report.findings) {
      const RuleInfo& info = lint::rule_info(finding.rule);
      ++counts[static_cast<std::size_t>(info.severity)];
      print_words(stdout, "{}:{}:{}: {}: {} [{}]\n", report.path, finding.place.line,
                  lines.column_at(finding.place.begin), severity_name(info.severity),
                  finding.message, info.name);
      if (finding.edit.empty()) {
        print_words(stdout, "    {}\n", info.repair);
      } else {
        print_changes(lint::edit_diff(report.path, report.text, lines, finding.edit));
      }
    }
  }
  const std::string scripts = counted(result.reports.size(), "script");
  if (result.fixed > 0) print_words(stdout, "{} repaired\n", counted(result.fixed, "finding"));
  if (counts[0] + counts[1] + counts[2] == 0) {
    if (result.reports.empty() && !result.failures.empty()) return;
    print_words(stdout, "nothing found in {}\n", scripts);
    return;
  }
  print_words(stdout, "{}, {}, {} in {}\n",
              counted(counts[static_cast<std::size_t>(Severity::kError)], "error"),
              counted(counts[static_cast<std::size_t>(Severity::kWarning)], "warning"),
              counted(counts[static_cast<std::size_t>(Severity::kNote)], "note"), scripts);
}

}  // namespace sinter::cli
