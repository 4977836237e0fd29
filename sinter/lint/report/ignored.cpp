#include "sinter/lint/report/ignored.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace sinter::lint {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// What stands behind "sinter: ignore" in a comment; empty when it does not say that.
std::optional<std::string_view> after_mark(std::string_view comment) {
  constexpr std::string_view kTool = "sinter:";
  constexpr std::string_view kWish = "ignore";
  const std::size_t at = comment.find(kTool);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = trimmed(comment.substr(at + kTool.size()));
  if (!rest.starts_with(kWish)) return std::nullopt;
  return trimmed(rest.substr(kWish.size()));
}

}  // namespace

void Ignored::add(std::uint32_t line, std::set<Rule> rules) { lines_[line] = std::move(rules); }

bool Ignored::covers(const Finding& finding) const {
  const auto found = lines_.find(finding.place.line);
  return found != lines_.end() && (found->second.empty() || found->second.contains(finding.rule));
}

Ignored read_ignored(const Script& script, std::vector<std::string>& unknown) {
  Ignored ignored;
  for (const Place& place : script.comments) {
    const std::string_view comment =
        std::string_view(script.text).substr(place.begin, place.end - place.begin);
    const auto wish = after_mark(comment);
    if (!wish) continue;
    std::string_view rest = *wish;
    if (!rest.starts_with('[')) {
      ignored.add(place.line, {});
      continue;
    }
    rest = rest.substr(1, std::min(rest.find(']'), rest.size()) - 1);
    std::set<Rule> rules;
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      const std::string_view name = trimmed(rest.substr(0, comma));
      if (const auto rule = find_rule(name)) {
        rules.insert(*rule);
      } else if (!name.empty()) {
        unknown.emplace_back(name);
      }
      rest = rest.substr(std::min(comma + 1, rest.size()));
    }
    if (!rules.empty()) ignored.add(place.line, std::move(rules));
  }
  return ignored;
}

}  // namespace sinter::lint
