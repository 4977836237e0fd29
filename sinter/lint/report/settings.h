#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "sinter/lint/report/rules.h"

namespace sinter::lint {

/// `[tool.sinter.lint]` of a pyproject.toml.
struct Settings {
  std::optional<std::set<Rule>> select = {};  // only these, when given
  std::set<Rule> ignore = {};

  bool wants(Rule rule) const {
    return (!select || select->contains(rule)) && !ignore.contains(rule);
  }
};

/// Reads the section out of the text of a pyproject.toml; what is not there stays as it is.
/// @throws Error{kBadFile} when the file is no TOML, a key of the section is unknown or of the
/// wrong type, or a rule does not exist.
Settings read_settings(const std::string& text, const std::string& path);

/// The pyproject.toml nearest to a script, in its folder or above; empty when there is none.
std::optional<std::filesystem::path> find_settings(const std::filesystem::path& script);

}  // namespace sinter::lint
