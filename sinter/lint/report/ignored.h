#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sinter/lint/report/finding.h"
#include "sinter/lint/syntax/ast.h"

namespace sinter::lint {

/// What the comments of a script ask to leave out.
class Ignored {
 public:
  /// Without rules: all of that line.
  void add(std::uint32_t line, std::set<Rule> rules);
  bool covers(const Finding& finding) const;

 private:
  std::map<std::uint32_t, std::set<Rule>> lines_;  // an empty set is every rule
};

/// Reads `# sinter: ignore` and `# sinter: ignore[RULE, RULE]`. Names of rules that do not exist go
/// to `unknown`.
Ignored read_ignored(const Script& script, std::vector<std::string>& unknown);

}  // namespace sinter::lint
