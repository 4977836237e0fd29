#include "sinter/arch/key_map.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

namespace sinter::arch {
namespace {

constexpr std::string_view kNumber = "{}";
constexpr std::string_view kReversed = "{~}";
constexpr std::string_view kLessOne = "{-}";
constexpr std::size_t kMaxNumbers = 4;
// A network has no thousand blocks; longer numbers are foreign names.
constexpr std::size_t kMaxDigits = 3;

struct Match {
  std::array<std::int64_t, kMaxNumbers> numbers{};
  std::size_t count = 0;
  std::string_view rest;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool keeps_rest(std::string_view pattern) {
  return pattern.empty() || pattern.back() == '.' || pattern.back() == '_';
}

/// Takes a number off the front of the name.
bool take_number(std::string_view& name, Match& match) {
  const auto digits =
      static_cast<std::size_t>(std::ranges::find_if_not(name, is_digit) - name.begin());
  if (digits == 0 || digits > kMaxDigits || match.count == kMaxNumbers) return false;
  std::from_chars(name.data(), name.data() + digits, match.numbers[match.count++]);
  name.remove_prefix(digits);
  return true;
}

std::optional<Match> match_pattern(std::string_view pattern, std::string_view name,
                                   std::int64_t reversed_count = 0) {
  const bool open = keeps_rest(pattern);
  Match match;
  while (!pattern.empty()) {
    if (pattern.starts_with(kNumber)) {
      if (!take_number(name, match)) return std::nullopt;
      pattern.remove_prefix(kNumber.size());
      continue;
    }
    if (pattern.starts_with(kReversed)) {
      if (!take_number(name, match)) return std::nullopt;
      std::int64_t& number = match.numbers[match.count - 1];
      number = reversed_count - 1 - number;
      pattern.remove_prefix(kReversed.size());
      continue;
    }
    if (pattern.starts_with(kLessOne)) {
      if (!take_number(name, match)) return std::nullopt;
      ++match.numbers[match.count - 1];
      pattern.remove_prefix(kLessOne.size());
      continue;
    }
    const std::string_view literal = pattern.substr(0, pattern.find('{'));
    if (!name.starts_with(literal)) return std::nullopt;
    name.remove_prefix(literal.size());
    pattern.remove_prefix(literal.size());
  }
  if (!open && !name.empty()) return std::nullopt;
  match.rest = name;
  return match;
}

std::string fill(std::string_view to, const Match& match, std::int64_t reversed_count) {
  std::string result;
  std::size_t rank = 0;
  while (!to.empty()) {
    if (to.starts_with(kNumber)) {
      result += std::to_string(match.numbers[rank++]);
      to.remove_prefix(kNumber.size());
    } else if (to.starts_with(kReversed)) {
      result += std::to_string(reversed_count - 1 - match.numbers[rank++]);
      to.remove_prefix(kReversed.size());
    } else if (to.starts_with(kLessOne)) {
      result += std::to_string(match.numbers[rank++] - 1);
      to.remove_prefix(kLessOne.size());
    } else {
      result += to.front();
      to.remove_prefix(1);
    }
  }
  result += match.rest;
  return result;
}

/// Returns false when the rows do not divide.
bool add_thirds(WeightMap& weights, const KeyRule& rule, const std::string& name,
                const weights::TensorEntry* tensor) {
  const auto parts = static_cast<std::int64_t>(rule.thirds.size());
  if (tensor->shape.empty() || tensor->shape[0] % parts != 0) return false;
  const std::int64_t rows = tensor->shape[0] / parts;
  for (std::int64_t part = 0; part < parts; ++part) {
    std::string third = name;
    third[third.find('?')] = rule.thirds[static_cast<std::size_t>(part)];
    weights.add(std::move(third),
                {.tensor = tensor, .first_row = part * rows, .rows = rows, .transposed = false});
  }
  return true;
}

bool apply(const KeyRule& rule, const NamedTensor& entry, std::int64_t reversed_count,
           WeightMap& weights) {
  const std::optional<Match> match = match_pattern(rule.from, entry.name);
  if (!match) return false;
  std::string name = fill(rule.to, *match, reversed_count);
  // A second tensor of the same meaning is not the one we read: the first stands.
  if (weights.find(name) != nullptr) return false;
  if (!rule.thirds.empty()) return add_thirds(weights, rule, name, entry.tensor);
  weights.add(std::move(name), {.tensor = entry.tensor, .transposed = rule.transposed});
  return true;
}

/// The place that a rule leads from to `canonical`.
std::optional<LayoutPlace> invert(const KeyRule& rule, std::string_view canonical,
                                  std::int64_t reversed_count) {
  // A stacked tensor is found by any of its thirds.
  const std::string_view letters = rule.thirds.empty() ? std::string_view("?") : rule.thirds;
  for (std::size_t part = 0; part < letters.size(); ++part) {
    std::string to(rule.to);
    if (const std::size_t at = to.find('?'); at != to.npos) to[at] = letters[part];
    if (const std::optional<Match> match = match_pattern(to, canonical, reversed_count))
      return LayoutPlace{.name = fill(rule.from, *match, reversed_count),
                         .part = part,
                         .parts = letters.size(),
                         .transposed = rule.transposed};
  }
  return std::nullopt;
}

}  // namespace

std::optional<LayoutPlace> place_in_layout(std::span<const KeyRule> rules,
                                           std::string_view canonical,
                                           std::span<const std::string_view> names,
                                           std::int64_t reversed_count) {
  std::optional<LayoutPlace> first;
  for (const KeyRule& rule : rules) {
    std::optional<LayoutPlace> place = invert(rule, canonical, reversed_count);
    if (!place) continue;
    const bool used = std::ranges::any_of(
        names, [&](std::string_view other) { return match_pattern(rule.from, other).has_value(); });
    if (used) return place;
    if (!first && !rule.alternative) first = std::move(place);
  }
  return first;
}

std::optional<std::string> name_in_layout(std::span<const KeyRule> rules,
                                          std::string_view canonical,
                                          std::span<const std::string_view> names,
                                          std::int64_t reversed_count) {
  const auto place = place_in_layout(rules, canonical, names, reversed_count);
  return place ? std::optional(place->name) : std::nullopt;
}

WeightMap apply_rules(std::span<const KeyRule> rules, const NameIndex& names,
                      std::int64_t reversed_count) {
  WeightMap weights;
  for (const NamedTensor& entry : names.all())
    std::ranges::any_of(
        rules, [&](const KeyRule& rule) { return apply(rule, entry, reversed_count, weights); });
  return weights;
}

}  // namespace sinter::arch
