#pragma once

#include <cstdint>
#include <functional>
#include <map>
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
  std::vector<std::int64_t> ids;  // several of an embedding of several vectors
  bool single_word;
};

/// A text as words and normalized tokens are looked for in it: composed (NFC), each run of white
/// space one space, small letters.
std::u32string normalize(std::u32string_view text);

/// Whether a character is a part of a word for AddedToken::single_word.
bool in_word(char32_t code);

/// Whether the marker occurs in a text.
bool occurs(std::u32string_view text, const Marker& marker);

/// Ids of added tokens by content.
using TokenIds = std::map<std::string_view, std::int64_t, std::less<>>;

/// The ids that a token of an embedding stands for. diffusers keeps an embedding of three vectors
/// as the tokens "<cat>", "<cat>_1" and "<cat>_2", and takes the first in a prompt for them all.
std::vector<std::int64_t> run_of(const AddedToken& token, const TokenIds& all);

/// The tokens by content; refers to them.
TokenIds token_ids(const std::vector<AddedToken>& tokens);

/// Takes a text apart at its markers, from the left, the longest where several begin: calls `plain`
/// for what lies before, between and behind them, in order, and `found` for each.
void split_at_markers(std::u32string_view text, const std::vector<Marker>& markers,
                      const std::function<void(std::u32string_view)>& plain,
                      const std::function<void(const Marker& marker)>& found);

}  // namespace sinter::pipeline
