#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/cli/command.h"
#include "sinter/cli/json_output.h"
#include "sinter/cli/lint_report.h"
#include "sinter/cli/text.h"
#include "sinter/lint/lint.h"
#include "sinter/lint/report/edits.h"

namespace sinter::cli {
namespace fs = std::filesystem;
using lint::Finding;
using lint::ScriptReport;
using lint::Settings;
namespace {

struct Options {
  std::vector<std::string> paths;
  bool json = false;
  bool sarif = false;
  bool fix = false;
  bool diff = false;
};

/// The settings of every script, each file of them read once.
class SettingsOfScripts {
 public:
  const Settings& of(const fs::path& script) {
    const auto file = lint::find_settings(script);
    if (!file) return none_;
    const auto found = read_.find(*file);
    if (found != read_.end()) return found->second;
    return read_.emplace(*file, lint::read_settings(read_text(*file), file->string()))
        .first->second;
  }

 private:
  Settings none_;
  std::map<fs::path, Settings> read_;
};

std::vector<const lint::Edit*> safe_edits(const ScriptReport& report) {
  std::vector<const lint::Edit*> edits;
  for (const Finding& finding : report.findings)
    if (finding.edit.safe && !finding.edit.empty()) edits.push_back(&finding.edit);
  return edits;
}

/// Repairs what is safe until nothing more is, and writes the script once.
std::size_t fix(ScriptReport& report, const Settings& settings) {
  // An edit may lie inside another; what was dropped is there again in the next turn.
  constexpr int kMostTurns = 8;
  const std::size_t before = report.findings.size();
  const std::string old_text = report.text;
  for (int turn = 0; turn < kMostTurns; ++turn) {
    const auto edits = safe_edits(report);
    if (edits.empty()) break;
    std::string text = lint::apply_edits(report.text, edits);
    report = lint::check_script(report.path, std::move(text), settings);
  }
  if (report.text == old_text) return 0;
  AtomicFile file(report.path);
  file.write(report.text);
  file.commit();
  return before - std::min(before, report.findings.size());
}

LintResult check_all(const Options& options) {
  LintResult result;
  SettingsOfScripts settings;
  for (const fs::path& path : lint::find_scripts(options.paths)) {
    const Settings& own = settings.of(path);
    try {
      ScriptReport report = lint::check_script(path.string(), read_text(path), own);
      if (options.fix) result.fixed += fix(report, own);
      for (const std::string& name : report.unknown_rules)
        print_words(stderr, "warning: {}: a comment ignores the rule '{}', which does not exist\n",
                    report.path, name);
      result.reports.push_back(std::move(report));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kBadFile) throw;
      result.failures.push_back({path.string(), error.message()});
    }
  }
  return result;
}

int run(const Options& options) {
  if (options.json && options.sarif)
    throw Error(ErrorCode::kUsage, "--json and --sarif are two forms of one result; give one");
  if (options.fix && options.diff)
    throw Error(ErrorCode::kUsage, "--fix writes what --diff shows; give one");
  const LintResult result = check_all(options);
  if (options.json) {
    print_json(lint_json(result));
  } else if (options.sarif) {
    print_json(lint_sarif(result));
  } else if (options.diff) {
    for (const ScriptReport& report : result.reports)
      fmt::print("{}", lint_diff(report, safe_edits(report)));
  } else {
    print_lint(result);
  }
  for (const LintFailure& failure : result.failures)
    print_words(stderr, "error: {}\n", failure.message);
  if (!result.failures.empty()) return exit_status(ErrorCode::kBadFile);
  const bool found =
      std::any_of(result.reports.begin(), result.reports.end(), [](const ScriptReport& report) {
        return std::any_of(report.findings.begin(), report.findings.end(), [](const Finding& each) {
          return lint::rule_info(each.rule).severity != lint::Severity::kNote;
        });
      });
  return found ? kFindings : kDone;
}

}  // namespace

Run declare_lint(CLI::App& app) {
  auto options =
      std::make_shared<Options>();  // shared by the parser's bindings and the returned function
  app.add_option("paths", options->paths, "scripts, and folders whose *.py are read")->required();
  app.add_flag("--fix", options->fix, "write the repairs that change nothing but the fault");
  app.add_flag("--diff", options->diff, "print what --fix would write, as a unified diff");
  app.add_flag("--json", options->json, "print the result as JSON");
  app.add_flag("--sarif", options->sarif, "print the result as SARIF 2.1.0");
  return [options] { return run(*options); };
}

}  // namespace sinter::cli
