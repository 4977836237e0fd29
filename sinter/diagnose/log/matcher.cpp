#include "sinter/diagnose/log/matcher.h"

#include <fmt/format.h>
#include <re2/filtered_re2.h>
#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <array>
#include <map>

#include "sinter/base/error.h"

namespace sinter::diagnose::log {
namespace {

constexpr int kShortestWord = 4;
constexpr int kMostGroups = 12;
constexpr std::size_t kLongestText = std::size_t{32} << 10;

RE2::Options quiet() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(std::int64_t{32} << 20);
  return options;
}

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

std::string_view Match::capture(std::string_view name) const {
  for (const Capture& group : captures)
    if (group.name == name) return group.text;
  return {};
}

struct Matcher::Tables {
  re2::FilteredRE2 filter{kShortestWord};
  std::unique_ptr<RE2::Set> words;
  std::vector<const Pattern*> patterns;
};

Matcher::Matcher() : tables_(std::make_unique<Tables>()) {
  for (const RuleSet& set : rule_sets()) {
    for (const Pattern& pattern : set.patterns) {
      int id = 0;
      if (tables_->filter.Add(piece(pattern.pattern), quiet(), &id) != RE2::NoError)
        throw Error(ErrorCode::kInternal,
                    fmt::format("the pattern '{}' is no expression", pattern.pattern));
      tables_->patterns.push_back(&pattern);
    }
  }
  std::vector<std::string> words;
  tables_->filter.Compile(&words);
  RE2::Options literal = quiet();
  literal.set_literal(true);
  tables_->words = std::make_unique<RE2::Set>(literal, RE2::UNANCHORED);
  for (const std::string& word : words) tables_->words->Add(word, nullptr);
  tables_->words->Compile();
}

Matcher::~Matcher() = default;

std::vector<Match> Matcher::find(std::string_view text) const {
  text = text.substr(0, kLongestText);
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  std::vector<int> words;
  if (!tables_->words->Match(lower, &words)) return {};
  std::vector<int> candidates;
  tables_->filter.AllPotentials(words, &candidates);
  std::sort(candidates.begin(), candidates.end());
  std::vector<Match> found;
  for (const int id : candidates) {
    const RE2& expression = tables_->filter.GetRE2(id);
    std::array<re2::StringPiece, kMostGroups> groups;
    const int count = std::min(kMostGroups, expression.NumberOfCapturingGroups() + 1);
    if (!expression.Match(piece(text), 0, text.size(), RE2::UNANCHORED, groups.data(), count))
      continue;
    Match match{.pattern = tables_->patterns[static_cast<std::size_t>(id)],
                .order = static_cast<std::size_t>(id),
                .begin = static_cast<std::size_t>(groups[0].data() - text.data()),
                .end = static_cast<std::size_t>(groups[0].data() - text.data()) + groups[0].size(),
                .captures = {}};
    for (const auto& [number, name] : expression.CapturingGroupNames()) {
      const re2::StringPiece group = number < count ? groups[static_cast<std::size_t>(number)] : "";
      if (!group.empty()) match.captures.push_back({name, std::string(group)});
    }
    found.push_back(std::move(match));
  }
  return found;
}

const Matcher& Matcher::rules() {
  static const Matcher matcher;
  return matcher;
}

}  // namespace sinter::diagnose::log
