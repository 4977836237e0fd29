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

}  // namespace sinter
