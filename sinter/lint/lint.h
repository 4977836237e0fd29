#pragma once

#include <string>
#include <vector>

#include "sinter/lint/finding.h"

namespace sinter::lint {

/// What reading a script gave.
struct ScriptReport {
  std::string path;  // as it was given
  std::string text;
  std::vector<Finding> findings;  // in the order of lines
  bool complete = true;           // false: so many paths that some were not followed
};

/// Reads a script along its paths and reports what PyTorch would refuse or suffer from. Executes nothing.
///
/// Same text, same findings.
/// @throws Error{kBadFile} naming line and column when the text is no Python.
ScriptReport check_script(std::string path, std::string text);

}  // namespace sinter::lint
