#include "sinter/diagnose/environment/version.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace sinter::diagnose::environment {
namespace {

/// The number that the text begins with, 0 without digits; dates (20230118) fit, more is cut off.
int number(const char* digits) {
  constexpr long kMost = 999'999'999;
  return static_cast<int>(std::clamp(std::strtol(digits, nullptr, 10), 0L, kMost));
}

int pre_phase(const std::string& word) {
  if (word.starts_with("a")) return 0;
  return word.starts_with("b") ? 1 : 2;
}

bool same_prefix(const Version& version, const Version& prefix) {
  for (std::size_t i = 0; i < prefix.release.size(); ++i)
    if (version.part(i) != prefix.release[i]) return false;
  return true;
}

bool satisfies_one(const Version& version, std::string_view specifier) {
  static const RE2 pattern(R"(\s*(===|==|!=|<=|>=|~=|<|>)\s*([^\s*]+?)(\.\*)?\s*)");
  std::string sign;
  std::string text;
  std::string star;
  if (!RE2::FullMatch(specifier, pattern, &sign, &text, &star)) return true;
  const Version other = parse_version(text);
  if (!other.known()) return true;
  const int order = compare(version, other);
  if (sign == "==" || sign == "===") {
    if (!other.local.empty() && other.local != version.local) return false;
    return star.empty() ? order == 0 : same_prefix(version, other);
  }
  if (sign == "!=") return star.empty() ? order != 0 : !same_prefix(version, other);
  if (sign == "<") return order < 0;
  if (sign == ">") return order > 0;
  if (sign == "<=") return order <= 0;
  if (sign == ">=") return order >= 0;
  Version series = other;  // ~=
  if (!series.release.empty()) series.release.pop_back();
  return order >= 0 && same_prefix(version, series);
}

}  // namespace

Version parse_version(std::string_view text) {
  static const RE2 pattern(
      R"((?i)\s*v?(\d+(?:\.\d+)*)(?:[-_.]?(a|alpha|b|beta|c|rc|pre|preview)[-_.]?(\d*))?(?:[-_.]?(?:post|rev|r)[-_.]?(\d*)|-(\d+))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:git\w*)?(?:\+([a-z0-9._-]+))?\s*)");
  Version version;
  std::string release, pre, pre_number, post, implicit, dev, dev_number, local;
  if (!RE2::FullMatch(text, pattern, &release, &pre, &pre_number, &post, &implicit, &dev,
                      &dev_number, &local))
    return version;
  for (std::size_t at = 0; at < release.size();) {
    version.release.push_back(number(release.c_str() + at));
    at = std::min(release.find('.', at), release.size() - 1) + 1;
  }
  if (!pre.empty()) version.pre = pre_phase(pre) * 1000 + std::min(number(pre_number.c_str()), 999);
  if (!post.empty() || !implicit.empty())
    version.post = number((post.empty() ? implicit : post).c_str());
  if (!dev.empty()) version.dev = number(dev_number.c_str());
  version.local = local;
  return version;
}

int compare(const Version& a, const Version& b) {
  const std::size_t parts = std::max(a.release.size(), b.release.size());
  for (std::size_t i = 0; i < parts; ++i)
    if (a.part(i) != b.part(i)) return a.part(i) - b.part(i);
  // A development version without a phase comes before every phase.
  const auto key = [](const Version& v) {
    const bool early = v.dev != Version::kNoDev && v.pre == Version::kFinal && v.post < 0;
    return std::array{early ? -1 : v.pre, v.post, v.dev};
  };
  const auto left = key(a);
  const auto right = key(b);
  if (left == right) return 0;
  return left < right ? -1 : 1;
}

bool satisfies(const Version& version, std::string_view specifiers) {
  if (!version.known()) return true;
  std::string text(specifiers);
  std::erase_if(text, [](char c) { return c == '(' || c == ')'; });
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    if (!satisfies_one(version, std::string_view(text).substr(at, comma - at))) return false;
    at = comma + 1;
  }
  return true;
}

}  // namespace sinter::diagnose::environment
