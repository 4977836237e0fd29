#include "sinter/base/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "sinter/base/utf8.h"

namespace sinter {
namespace {

// The longest names of the families here have 111 bytes.
constexpr std::size_t kLongest = 160;
constexpr std::size_t kBeginning = 100;
constexpr std::size_t kEnd = 40;

/// Whether a UTF-8 character begins at that byte: names are not cut inside one.
bool starts_character(std::string_view text, std::size_t at) {
  return (static_cast<unsigned char>(text[at]) & 0xC0u) != 0x80u;
}

/// Characters beyond ASCII that a terminal obeys instead of showing.
struct Range {
  std::uint32_t first, last;
};
constexpr std::array kObeyed{
    Range{0x80, 0x9f},      // C1
    Range{0x2028, 0x202e},  // line and paragraph separators, embeddings and overrides of direction
    Range{0x2066, 0x2069},  // isolates
};

/// The code point of a well-formed character.
std::uint32_t code_point(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return lead;
  std::uint32_t value = lead & (0xffu >> (character.size() + 1));
  for (const char c : character.substr(1)) value = value << 6 | (static_cast<unsigned>(c) & 0x3fu);
  return value;
}

void append_printable(std::string& text, std::string_view character, bool keep_lines) {
  const std::uint32_t code = code_point(character);
  if (code == '\n') {
    text += keep_lines ? "\n" : "\\n";
  } else if (code == '\t') {
    text += "\\t";
  } else if (code < 0x20 || code == 0x7f) {
    text += fmt::format("\\x{:02x}", code);
  } else if (std::ranges::any_of(
                 kObeyed, [&](const Range& r) { return r.first <= code && code <= r.last; })) {
    text += fmt::format("\\u{:04x}", code);
  } else {
    text += character;
  }
}

}  // namespace

std::string printable(std::string_view text, bool keep_lines) {
  std::string result;
  while (!text.empty()) {
    const std::string_view good = text.substr(0, utf8_length(std::as_bytes(std::span(text))));
    for (std::size_t at = 0; at < good.size();) {
      std::size_t end = at + 1;
      while (end < good.size() && !starts_character(good, end)) ++end;
      append_printable(result, good.substr(at, end - at), keep_lines);
      at = end;
    }
    text.remove_prefix(good.size());
    if (text.empty()) break;
    result += "\xef\xbf\xbd";
    text.remove_prefix(1);
  }
  return result;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string shown(std::string_view name) {
  if (name.size() <= kLongest) return printable(name);
  std::size_t first = kBeginning;
  std::size_t second = name.size() - kEnd;
  while (first > 0 && !starts_character(name, first)) --first;
  while (second + 1 < name.size() && !starts_character(name, second)) ++second;
  return fmt::format("{}...{}", printable(name.substr(0, first)), printable(name.substr(second)));
}

}  // namespace sinter
