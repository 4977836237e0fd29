#include "sinter/base/nearest.h"

#include <algorithm>
#include <cstddef>

namespace sinter {
namespace {

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) table[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) table[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      table[i][j] =
          std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + cost});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
    }
  }
  return table[a.size()][b.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;  // further off is a guess
  for (const std::string& candidate : candidates) {
    const std::size_t mistakes = distance(word, candidate);
    if (mistakes >= least) continue;
    least = mistakes;
    best = candidate;
  }
  if (!best.empty() || word.find_first_not_of('-') == word.npos) return best;
  const auto unfinished = std::ranges::find_if(
      candidates, [&](const std::string& candidate) { return candidate.starts_with(word); });
  return unfinished == candidates.end() ? "" : *unfinished;
}

}  // namespace sinter
