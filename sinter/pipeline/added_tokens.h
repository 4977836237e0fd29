#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::pipeline {

/// A token that stands in the text by itself, whatever the merges would make of its letters:
/// "<cat>" of a textual inversion. White space beside it never counts (transformers' lstrip and
/// rstrip).
struct AddedToken {
  std::string content;  // UTF-8
  std::int64_t id;
  bool normalized;   // looked for in the text's small letters, its own made small too
  bool single_word;  // only between characters that are no part of a word

  friend bool operator==(const AddedToken&, const AddedToken&) = default;
};

/// A token to look for, as code points.
struct Marker {
  std::u32string content;
  std::int64_t id;
  bool single_word;
};

/// Takes a text apart at its markers, from the left, the longest where several begin: calls `plain`
/// for what lies before, between and behind them, in order, and `found` for each.
void split_at_markers(std::u32string_view text, const std::vector<Marker>& markers,
                      const std::function<void(std::u32string_view)>& plain,
                      const std::function<void(std::int64_t id)>& found);

}  // namespace sinter::pipeline
