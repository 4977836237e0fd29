#pragma once

#include <string>
#include <string_view>

namespace sinter {

/// Code points of UTF-8 text; each byte that is not part of a valid sequence becomes U+FFFD.
std::u32string decode_utf8(std::string_view text);

/// Appends one code point as UTF-8.
void append_utf8(std::string& text, char32_t code);

}  // namespace sinter
