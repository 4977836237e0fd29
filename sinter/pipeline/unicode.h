#pragma once

#include <string>
#include <string_view>

#include "sinter/base/utf8.h"

namespace sinter::pipeline {

/// Unicode text as code points, for the tokenizer.
///
/// The CLIP tokenizers in use take their character data from three libraries of different Unicode
/// versions (regular expressions: 16, lower case: 17, NFC: 9); the functions here give the answers
/// of those, on top of utf8proc's data.

/// General category L, N; property White_Space.
bool is_letter(char32_t code);
bool is_number(char32_t code);
bool is_space(char32_t code);

/// Each code point in lower case by itself: no rule looks at its neighbours (sigma is never final).
std::u32string to_lower(std::u32string_view text);

/// Canonical composition (Unicode Standard Annex 15, form C).
std::u32string nfc(std::u32string_view text);

}  // namespace sinter::pipeline
