#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "sinter/lint/report/edits.h"

namespace sinter::lint {
namespace {

constexpr std::size_t kContext = 3;

struct Change {
  std::size_t before, before_count;  // lines taken out
  std::size_t after, after_count;    // lines put in
};

std::vector<std::string_view> lines_of(const std::string& text) {
  std::vector<std::string_view> lines;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    const std::size_t next = end == std::string::npos ? text.size() : end + 1;
    lines.push_back(std::string_view(text).substr(at, next - at));
    at = next;
  }
  return lines;
}

/// Edits are small and in order, so a walk that looks for the next common line is enough.
std::vector<Change> changes(const std::vector<std::string_view>& before,
                            const std::vector<std::string_view>& after) {
  std::vector<Change> all;
  std::size_t a = 0;
  std::size_t b = 0;
  while (a < before.size() || b < after.size()) {
    if (a < before.size() && b < after.size() && before[a] == after[b]) {
      ++a;
      ++b;
      continue;
    }
    const std::size_t a_begin = a;
    const std::size_t b_begin = b;
    bool met = false;
    for (std::size_t reach = 1; !met && (a + reach <= before.size() || b + reach <= after.size());
         ++reach) {
      for (std::size_t da = 0; !met && da <= reach; ++da) {
        const std::size_t db = reach - da;
        const bool ends = a + da == before.size() && b + db == after.size();
        if (a + da > before.size() || b + db > after.size()) continue;
        if (ends ||
            (a + da < before.size() && b + db < after.size() && before[a + da] == after[b + db])) {
          a += da;
          b += db;
          met = true;
        }
      }
    }
    if (!met) {
      a = before.size();
      b = after.size();
    }
    all.push_back({a_begin, a - a_begin, b_begin, b - b_begin});
  }
  return all;
}

void put(std::string& out, char mark, std::string_view line) {
  out += mark;
  out += line;
  if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
}

}  // namespace

std::string unified_diff(const std::string& path, const std::string& old_text,
                         const std::string& new_text, std::size_t first) {
  const auto before = lines_of(old_text);
  const auto after = lines_of(new_text);
  const std::vector<Change> all = changes(before, after);
  if (all.empty()) return {};
  std::string out = fmt::format("--- a/{}\n+++ b/{}\n", path, path);
  std::size_t i = 0;
  while (i < all.size()) {
    std::size_t last = i;
    while (last + 1 < all.size() &&
           all[last + 1].before <= all[last].before + all[last].before_count + 2 * kContext)
      ++last;
    const std::size_t begin = all[i].before - std::min(all[i].before, kContext);
    const std::size_t lead = all[i].before - begin;
    const std::size_t end =
        std::min(before.size(), all[last].before + all[last].before_count + kContext);
    const std::size_t tail = end - (all[last].before + all[last].before_count);
    const std::size_t new_begin = all[i].after - lead;
    const std::size_t new_end = all[last].after + all[last].after_count + tail;
    out += fmt::format("@@ -{},{} +{},{} @@\n", begin + first, end - begin, new_begin + first,
                       new_end - new_begin);
    std::size_t at = begin;
    for (std::size_t k = i; k <= last; ++k) {
      for (; at < all[k].before; ++at) put(out, ' ', before[at]);
      for (; at < all[k].before + all[k].before_count; ++at) put(out, '-', before[at]);
      for (std::size_t j = 0; j < all[k].after_count; ++j) put(out, '+', after[all[k].after + j]);
    }
    for (; at < end; ++at) put(out, ' ', before[at]);
    i = last + 1;
  }
  return out;
}

std::string edit_diff(const std::string& path, const std::string& text, const LineTable& lines,
                      const Edit& edit) {
  if (edit.empty()) return {};
  std::size_t begin = text.size();
  std::size_t end = 0;
  for (const Replacement& each : edit.replacements) {
    begin = std::min<std::size_t>(begin, each.begin);
    end = std::max<std::size_t>(end, each.end);
  }
  const std::size_t line = lines.line_at(begin);
  const std::size_t first = line - std::min(line - 1, kContext);
  const std::size_t cut = lines.begin_of(first);
  const std::size_t behind = lines.begin_of(lines.line_at(end) + kContext + 1);
  const std::string before = text.substr(cut, behind - cut);
  Edit here = edit;
  for (Replacement& each : here.replacements) {
    each.begin -= static_cast<std::uint32_t>(cut);
    each.end -= static_cast<std::uint32_t>(cut);
  }
  return unified_diff(path, before, apply_edits(before, {&here}), first);
}

}  // namespace sinter::lint
