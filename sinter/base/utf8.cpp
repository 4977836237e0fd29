#include "sinter/base/utf8.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace sinter {
namespace {

/// A lead byte range: how many bytes follow, and what the first of them may be. The narrowed ranges
/// keep out overlong forms, surrogates and what lies above U+10FFFF.
struct Lead {
  unsigned first, last;
  std::size_t followers;
  unsigned low, high;
};

constexpr std::array kLeads{
    Lead{0xc2, 0xdf, 1, 0x80, 0xbf}, Lead{0xe0, 0xe0, 2, 0xa0, 0xbf},
    Lead{0xe1, 0xec, 2, 0x80, 0xbf}, Lead{0xed, 0xed, 2, 0x80, 0x9f},
    Lead{0xee, 0xef, 2, 0x80, 0xbf}, Lead{0xf0, 0xf0, 3, 0x90, 0xbf},
    Lead{0xf1, 0xf3, 3, 0x80, 0xbf}, Lead{0xf4, 0xf4, 3, 0x80, 0x8f},
};

// By the number of bytes that follow (RFC 3629, section 3): the bits that mark the first byte, and
// the first code point that needs so many.
constexpr std::array<unsigned, 4> kLeadMarks{0x00, 0xC0, 0xE0, 0xF0};
constexpr std::array<char32_t, 4> kFirstCodes{0x0, 0x80, 0x800, 0x10000};

/// Bytes of the character that begins here, or 0 when it is ill-formed.
std::size_t character_length(std::span<const std::byte> bytes) {
  const auto at = [&](std::size_t i) { return std::to_integer<unsigned>(bytes[i]); };
  if (at(0) < 0x80) return 1;
  for (const Lead& lead : kLeads) {
    if (at(0) < lead.first || at(0) > lead.last) continue;
    if (bytes.size() <= lead.followers || at(1) < lead.low || at(1) > lead.high) return 0;
    for (std::size_t i = 2; i <= lead.followers; ++i) {
      if ((at(i) & 0xc0) != 0x80) return 0;
    }
    return lead.followers + 1;
  }
  return 0;
}

/// The code point of one well-formed character.
char32_t code_point(std::span<const std::byte> character) {
  const std::size_t more = character.size() - 1;
  char32_t code = std::to_integer<unsigned>(character[0]) & ~kLeadMarks[more];
  for (const std::byte next : character.subspan(1))
    code = (code << 6) | (std::to_integer<unsigned>(next) & 0x3Fu);
  return code;
}

}  // namespace

std::size_t utf8_length(std::span<const std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    // Headers are nearly all ASCII: eight bytes at a time.
    std::uint64_t word = 0;
    if (done + sizeof word <= bytes.size()) {
      std::memcpy(&word, &bytes[done], sizeof word);
      if ((word & 0x8080808080808080u) == 0) {
        done += sizeof word;
        continue;
      }
    }
    const std::size_t length = character_length(bytes.subspan(done));
    if (length == 0) return done;
    done += length;
  }
  return done;
}

std::u32string decode_utf8(std::string_view text) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  std::u32string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = character_length(bytes.subspan(at));
    result.push_back(length > 0 ? code_point(bytes.subspan(at, length)) : U'\uFFFD');
    at += length > 0 ? length : 1;
  }
  return result;
}

void append_utf8(std::string& text, char32_t code) {
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return;
  std::size_t more = kLeadMarks.size() - 1;
  while (more > 0 && code < kFirstCodes[more]) --more;
  text.push_back(static_cast<char>(kLeadMarks[more] | (code >> (6 * more))));
  while (more-- > 0) text.push_back(static_cast<char>(0x80u | ((code >> (6 * more)) & 0x3Fu)));
}

}  // namespace sinter
