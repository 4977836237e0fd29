#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace sinter {

/// The number of leading bytes that are well-formed UTF-8 (Unicode 15, table 3-7): all of them, or
/// the place of the first ill-formed or unfinished character.
std::size_t utf8_length(std::span<const std::byte> bytes);

/// Code points of UTF-8 text; each byte that is not part of a well-formed character becomes U+FFFD.
std::u32string decode_utf8(std::string_view text);

/// Appends one code point as UTF-8; nothing for a surrogate or what lies above U+10FFFF.
void append_utf8(std::string& text, char32_t code);

}  // namespace sinter
