#include "sinter/lint/report/edits.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace sinter::lint {
namespace {

/// The bytes that edits took so far.
class Taken {
 public:
  bool meets(const Replacement& edit) const {
    const auto behind = ranges_.lower_bound(edit.begin == edit.end ? edit.begin : edit.end);
    if (behind != ranges_.begin() && std::prev(behind)->second > edit.begin) return true;
    if (edit.begin == edit.end) return spots_.contains(edit.begin);
    const auto spot = spots_.upper_bound(edit.begin);
    return spot != spots_.end() && *spot < edit.end;
  }

  void add(const Replacement& edit) {
    if (edit.begin == edit.end) {
      spots_.insert(edit.begin);
    } else {
      ranges_.emplace(edit.begin, edit.end);
    }
  }

 private:
  std::map<std::uint32_t, std::uint32_t> ranges_;  // do not overlap
  std::set<std::uint32_t> spots_;                  // of insertions
};

}  // namespace

std::string apply_edits(const std::string& text, const std::vector<const Edit*>& edits) {
  std::vector<Replacement> all;
  Taken taken;
  for (const Edit* edit : edits) {
    const auto& parts = edit->replacements;
    if (std::any_of(parts.begin(), parts.end(),
                    [&](const Replacement& part) { return taken.meets(part); }))
      continue;
    for (const Replacement& part : parts) {
      taken.add(part);
      all.push_back(part);
    }
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
