#include "sinter/weights/pickle/text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include "sinter/base/error.h"
#include "sinter/base/message.h"
#include "sinter/base/utf8.h"

namespace sinter::weights::pickle {
namespace {

struct Escape {
  char letter;
  char meaning;
};
constexpr std::array kEscapes{Escape{'n', '\n'},  Escape{'t', '\t'},  Escape{'r', '\r'},
                              Escape{'\\', '\\'}, Escape{'\'', '\''}, Escape{'"', '"'}};

/// The number of the first `width` digits, or nothing.
std::optional<std::uint32_t> hexadecimal(std::string_view text, std::size_t width) {
  std::uint32_t value = 0;
  if (text.size() < width) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + width, value, 16);
  if (error != std::errc{} || end != text.data() + width) return std::nullopt;
  return value;
}

/// What stands behind a backslash; takes it from the text.
char take_escape(std::string_view& text) {
  if (text.starts_with('x')) {
    if (const auto code = hexadecimal(text.substr(1), 2)) {
      text.remove_prefix(3);
      return static_cast<char>(*code);
    }
  }
  for (const Escape& escape : kEscapes) {
    if (!text.starts_with(escape.letter)) continue;
    text.remove_prefix(1);
    return escape.meaning;
  }
  return '\\';
}

}  // namespace

std::string_view unquoted(std::string_view literal, std::deque<std::string>& made) {
  while (!literal.empty() && (literal.back() == ' ' || literal.back() == '\r'))
    literal.remove_suffix(1);
  const bool quoted = literal.size() >= 2 && literal.front() == literal.back() &&
                      (literal.front() == '\'' || literal.front() == '"');
  if (!quoted)
    throw Error(ErrorCode::kBadFile,
                fmt::format("the pickle has a text without quotes: {}", shown(literal)));
  literal = literal.substr(1, literal.size() - 2);
  if (literal.find('\\') == literal.npos) return literal;
  std::string text;
  while (!literal.empty()) {
    const char c = literal.front();
    literal.remove_prefix(1);
    text += c == '\\' ? take_escape(literal) : c;
  }
  return made.emplace_back(std::move(text));
}

std::string_view without_unicode_escapes(std::string_view text, std::deque<std::string>& made) {
  const auto plain = [](char c) { return c != '\\' && static_cast<unsigned char>(c) < 0x80; };
  bool all_plain = true;
  for (const char c : text) all_plain = all_plain && plain(c);
  if (all_plain) return text;
  std::string utf8;
  while (!text.empty()) {
    const std::size_t width = text.starts_with("\\u") ? 4 : text.starts_with("\\U") ? 8 : 0;
    const auto code = width == 0 ? std::nullopt : hexadecimal(text.substr(2), width);
    if (code) {
      append_utf8(utf8, static_cast<char32_t>(*code));
      text.remove_prefix(2 + width);
    } else {
      append_utf8(utf8, static_cast<char32_t>(static_cast<unsigned char>(text.front())));
      text.remove_prefix(1);
    }
  }
  return made.emplace_back(std::move(utf8));
}

double number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return std::numeric_limits<double>::infinity();
  if (error == std::errc{} && end == text.data() + text.size()) return value;
  throw Error(ErrorCode::kBadFile,
              fmt::format("the pickle has a number that is none: {}", shown(text)));
}

std::string latin1_bytes(std::string_view utf8) {
  std::string bytes;
  bytes.reserve(utf8.size());
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto lead = static_cast<unsigned char>(utf8[i]);
    if (lead < 0x80) {
      bytes += utf8[i];
    } else if ((lead == 0xc2 || lead == 0xc3) && i + 1 < utf8.size()) {
      ++i;
      bytes += static_cast<char>((lead & 3) << 6 | (static_cast<unsigned char>(utf8[i]) & 0x3f));
    }
  }
  return bytes;
}

}  // namespace sinter::weights::pickle
