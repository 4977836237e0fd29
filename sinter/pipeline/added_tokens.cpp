#include "sinter/pipeline/added_tokens.h"

#include <algorithm>
#include <cstddef>

#include "sinter/pipeline/unicode.h"

namespace sinter::pipeline {
namespace {

bool stands_alone(std::u32string_view text, std::size_t begin, std::size_t end) {
  return (begin == 0 || !in_word(text[begin - 1])) && (end == text.size() || !in_word(text[end]));
}

std::size_t find(std::u32string_view text, const Marker& marker) {
  std::size_t at = text.find(marker.content);
  while (at != text.npos && marker.single_word &&
         !stands_alone(text, at, at + marker.content.size()))
    at = text.find(marker.content, at + 1);
  return at;
}

}  // namespace

bool in_word(char32_t code) { return is_letter(code) || is_number(code) || code == U'_'; }

std::u32string normalize(std::u32string_view text) {
  const std::u32string composed = nfc(text);
  std::u32string spaced;
  spaced.reserve(composed.size());
  for (const char32_t code : composed) {
    if (!is_space(code)) {
      spaced.push_back(code);
    } else if (spaced.empty() || spaced.back() != U' ') {
      spaced.push_back(U' ');
    }
  }
  return to_lower(spaced);
}

bool occurs(std::u32string_view text, const Marker& marker) {
  return find(text, marker) != text.npos;
}

TokenIds token_ids(const std::vector<AddedToken>& tokens) {
  TokenIds ids;
  for (const AddedToken& token : tokens) ids.emplace(token.content, token.id);
  return ids;
}

std::vector<std::int64_t> run_of(const AddedToken& token, const TokenIds& all) {
  std::vector<std::int64_t> ids{token.id};
  while (true) {
    const auto next = all.find(token.content + "_" + std::to_string(ids.size()));
    if (next == all.end()) return ids;
    ids.push_back(next->second);
  }
}

void split_at_markers(std::u32string_view text, const std::vector<Marker>& markers,
                      const std::function<void(std::u32string_view)>& plain,
                      const std::function<void(const Marker& marker)>& found) {
  while (!text.empty()) {
    std::size_t first = text.npos;
    const Marker* best = nullptr;
    for (const Marker& marker : markers) {
      const std::size_t at = find(text, marker);
      if (at == text.npos || at > first) continue;
      if (at == first && marker.content.size() <= best->content.size()) continue;
      first = at;
      best = &marker;
    }
    plain(text.substr(0, first));
    if (best == nullptr) return;
    found(*best);
    text.remove_prefix(first + best->content.size());
  }
}

}  // namespace sinter::pipeline
