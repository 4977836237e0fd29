#include "sinter/lint/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>

#include "sinter/base/error.h"
#include "sinter/lint/flow/interpreter.h"
#include "sinter/lint/library/known_libraries.h"
#include "sinter/lint/report/ignored.h"
#include "sinter/lint/script_rules.h"

namespace sinter::lint {
namespace {

constexpr int kMostPaths = 128;           // of a script
constexpr int kMostPathsOfFunction = 16;  // of a function that the script does not call
constexpr long kStepsOfScript = 1'500'000;
constexpr long kStepsOfFunction = 60'000;
constexpr long kStepsOfFunctions = 2'500'000;  // of all that the script does not call

struct Root {
  const FunctionDef* function = nullptr;  // null: the script itself
  const ClassDef* owner = nullptr;
};

class Reading {
 public:
  Reading(const Script& script, Findings& findings) : script_(script), findings_(findings) {}

  /// Follows the paths of one root, those with the fewest turns first. Returns the steps that are
  /// left.
  long follow(const Root& root, long steps) {
    std::deque<Decisions::Forced> waiting{{}};
    const int most = root.function == nullptr ? kMostPaths : kMostPathsOfFunction;
    for (int path = 0; path < most && !waiting.empty(); ++path) {
      Decisions decisions(waiting.front());
      waiting.pop_front();
      if (!follow_one(root, decisions, steps)) break;
      for (Decisions::Forced& other : decisions.alternatives())
        if (waiting.size() < 400) waiting.push_back(std::move(other));
    }
    return steps;
  }

  bool entered(const FunctionDef& function) const { return entered_.contains(&function); }

 private:
  bool follow_one(const Root& root, Decisions& decisions, long& steps) {
    Interpreter interpreter(script_, libraries_, decisions, findings_, steps);
    bool done = true;
    try {
      interpreter.run_script();
      if (root.function != nullptr) interpreter.run_alone(*root.function, root.owner);
    } catch (const Raised&) {
    } catch (const Exit&) {
    } catch (const LeaveGenerator&) {
    } catch (const OutOfSteps&) {
      done = false;
    }
    interpreter.finish();
    entered_.insert(interpreter.entered().begin(), interpreter.entered().end());
    return done;
  }

  const Script& script_;
  const KnownLibraries libraries_;
  Findings& findings_;
  std::set<const FunctionDef*> entered_;
};

void collect(const Body& body, const ClassDef* owner, std::vector<Root>& into) {
  for (const auto& statement : body) {
    if (statement->function) into.push_back({statement->function.get(), owner});
    if (statement->class_def) collect(statement->class_def->body, statement->class_def.get(), into);
    if (statement->kind == StatementKind::kIf || statement->kind == StatementKind::kTry) {
      collect(statement->body, owner, into);
      collect(statement->other, owner, into);
    }
  }
}

}  // namespace

ScriptReport check_script(std::string path, std::string text, const Settings& settings) {
  const Script script = read_script(std::move(text));
  if (script.broken)
    throw Error(ErrorCode::kBadFile, fmt::format("{}:{}:{}: this cannot be read as Python", path,
                                                 script.broken->line, script.broken->column));
  Findings findings;
  check_text(script, findings);
  Reading reading(script, findings);
  reading.follow({}, kStepsOfScript);
  std::vector<Root> roots;
  collect(script.body, nullptr, roots);
  long steps = kStepsOfFunctions;
  for (const Root& root : roots) {
    if (steps <= 0) break;
    const long allowed = std::min(kStepsOfFunction, steps);
    if (!reading.entered(*root.function)) steps -= allowed - reading.follow(root, allowed);
  }
  ScriptReport report{
      .path = std::move(path), .text = script.text, .findings = {}, .unknown_rules = {}};
  const Ignored ignored = read_ignored(script, report.unknown_rules);
  for (Finding& finding : findings.take())
    if (settings.wants(finding.rule) && !ignored.covers(finding))
      report.findings.push_back(std::move(finding));
  return report;
}

}  // namespace sinter::lint
