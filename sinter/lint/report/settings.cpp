#include "sinter/lint/report/settings.h"

#include <fmt/format.h>
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <system_error>

#include "sinter/base/error.h"

namespace sinter::lint {
namespace fs = std::filesystem;
namespace {

std::set<Rule> rules_in(const toml::node& node, const std::string& key, const std::string& path) {
  const toml::array* names = node.as_array();
  if (names == nullptr)
    throw Error(ErrorCode::kBadFile, fmt::format("{}:{}: tool.sinter.lint.{} is no list of rules",
                                                 path, node.source().begin.line, key));
  std::set<Rule> rules;
  for (const toml::node& item : *names) {
    const std::string name = item.value_or(std::string());
    const auto rule = find_rule(name);
    if (!rule)
      throw Error(ErrorCode::kBadFile,
                  fmt::format("{}:{}: there is no rule '{}'", path, item.source().begin.line, name),
                  "docs/lint.md lists them");
    rules.insert(*rule);
  }
  return rules;
}

}  // namespace

Settings read_settings(const std::string& text, const std::string& path) {
  const toml::parse_result parsed = toml::parse(text, path);
  if (!parsed) {
    const toml::source_position& at = parsed.error().source().begin;
    throw Error(ErrorCode::kBadFile, fmt::format("{}:{}:{}: this is no TOML: {}", path, at.line,
                                                 at.column, parsed.error().description()));
  }
  Settings settings;
  const toml::table* section = parsed.table()["tool"]["sinter"]["lint"].as_table();
  if (section == nullptr) return settings;
  for (const auto& [key, node] : *section) {
    const std::string name(key.str());
    if (name == "ignore") {
      settings.ignore = rules_in(node, name, path);
    } else if (name == "select") {
      settings.select = rules_in(node, name, path);
    } else {
      throw Error(ErrorCode::kBadFile,
                  fmt::format("{}:{}: tool.sinter.lint has no setting '{}'", path,
                              node.source().begin.line, name),
                  "its settings are ignore and select");
    }
  }
  return settings;
}

std::optional<fs::path> find_settings(const fs::path& script) {
  std::error_code ignored;
  for (fs::path folder = fs::absolute(script, ignored).parent_path();;
       folder = folder.parent_path()) {
    fs::path candidate = folder / "pyproject.toml";
    if (fs::is_regular_file(candidate, ignored)) return candidate;
    if (folder == folder.parent_path() || folder.empty()) return std::nullopt;
  }
}

}  // namespace sinter::lint
