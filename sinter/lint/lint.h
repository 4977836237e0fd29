#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sinter/lint/report/finding.h"
#include "sinter/lint/report/settings.h"

namespace sinter::lint {

/// What reading a script gave.
struct ScriptReport {
  std::string path;  // as it was given
  std::string text;
  std::vector<Finding> findings;           // in the order of lines
  std::vector<std::string> unknown_rules;  // that comments of the script ask to ignore
};

/// Reads a script along its paths and reports what PyTorch would refuse or suffer from. Executes
/// nothing. Leaves out what the settings and comments (`# sinter: ignore[RULE, RULE]` or
/// `# sinter: ignore`) on the lines themselves say.
///
/// Same text, same findings.
/// @throws Error{kBadFile} naming line and column when the text is no Python.
ScriptReport check_script(std::string path, std::string text, const Settings& settings = {});

/// Files as they are, and for folders the *.py below them, sorted; hidden folders, __pycache__ and
/// virtual environments (a folder with pyvenv.cfg) are left out.
/// @throws Error{kIo} when there is no such file.
std::vector<std::filesystem::path> find_scripts(const std::vector<std::string>& paths);

}  // namespace sinter::lint
