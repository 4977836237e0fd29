#include "sinter/base/code_points.h"

#include <array>
#include <cstddef>

namespace sinter {
namespace {

// Sequences by their length: how the first byte is marked, and the first code point that needs so
// many bytes (RFC 3629, section 3).
struct Sequence {
  unsigned char mask;
  unsigned char mark;
  char32_t first;
};
constexpr std::array kSequences{Sequence{0x80, 0x00, 0x0}, Sequence{0xE0, 0xC0, 0x80},
                                Sequence{0xF0, 0xE0, 0x800}, Sequence{0xF8, 0xF0, 0x10000}};
constexpr char32_t kLast = 0x10FFFF;

bool surrogate(char32_t code) { return code >= 0xD800 && code < 0xE000; }

// Bytes of the valid sequence that the text begins with, 0 for none; its code point in `code`.
std::size_t read_code_point(std::string_view text, char32_t& code) {
  const auto byte = static_cast<unsigned char>(text[0]);
  for (std::size_t more = 0; more < kSequences.size(); ++more) {
    const Sequence& sequence = kSequences[more];
    if ((byte & sequence.mask) != sequence.mark) continue;
    if (more >= text.size()) return 0;
    code = byte & static_cast<unsigned char>(~sequence.mask);
    for (std::size_t i = 1; i <= more; ++i) {
      const auto next = static_cast<unsigned char>(text[i]);
      if ((next & 0xC0u) != 0x80) return 0;
      code = (code << 6) | (next & 0x3Fu);
    }
    return code < sequence.first || code > kLast || surrogate(code) ? 0 : more + 1;
  }
  return 0;
}

}  // namespace

std::u32string decode_utf8(std::string_view text) {
  std::u32string result;
  result.reserve(text.size());
  while (!text.empty()) {
    char32_t code = 0;
    const std::size_t length = read_code_point(text, code);
    result.push_back(length > 0 ? code : U'\uFFFD');
    text.remove_prefix(length > 0 ? length : 1);
  }
  return result;
}

void append_utf8(std::string& text, char32_t code) {
  if (code > kLast || surrogate(code)) return;
  std::size_t more = kSequences.size() - 1;
  while (code < kSequences[more].first) --more;
  text.push_back(static_cast<char>(kSequences[more].mark | (code >> (6 * more))));
  while (more-- > 0) text.push_back(static_cast<char>(0x80u | ((code >> (6 * more)) & 0x3Fu)));
}

}  // namespace sinter
