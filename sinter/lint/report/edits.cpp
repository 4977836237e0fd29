#include "sinter/lint/report/edits.h"

#include <algorithm>

namespace sinter::lint {
std::string apply_edits(const std::string& text, const std::vector<const Edit*>& edits) {
  std::vector<Replacement> all;
  const auto overlaps = [&](const Replacement& a) {
    return std::any_of(all.begin(), all.end(), [&](const Replacement& b) {
      const bool same_spot = a.begin == a.end && b.begin == b.end && a.begin == b.begin;
      return same_spot || (a.begin < b.end && b.begin < a.end);
    });
  };
  for (const Edit* edit : edits) {
    if (std::any_of(edit->replacements.begin(), edit->replacements.end(), overlaps)) continue;
    all.insert(all.end(), edit->replacements.begin(), edit->replacements.end());
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Replacement& a, const Replacement& b) { return a.begin < b.begin; });
  std::string out;
  std::size_t at = 0;
  for (const Replacement& replacement : all) {
    out.append(text, at, replacement.begin - at);
    out += replacement.text;
    at = replacement.end;
  }
  return out.append(text, at);
}

}  // namespace sinter::lint
