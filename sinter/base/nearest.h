#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sinter {

/// The candidate with the fewest typing mistakes between it and `word`, else one that begins with
/// it, or "" when none is near.
/// Counted as insertions, deletions, substitutions and swaps of neighbours (Damerau 1964).
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace sinter
