#pragma once

#include <deque>
#include <string>
#include <string_view>

namespace sinter::weights::pickle {

// Texts of protocol 0. The results are views of the argument, or of a text that is added to `made`.

/// A quoted Python 2 string: 'it\'s'.
/// @throws Error{kBadFile} when it is not quoted.
std::string_view unquoted(std::string_view literal, std::deque<std::string>& made);

/// Latin-1 with escapes of four hexadecimal digits (\u00e9), as UTF-8.
std::string_view without_unicode_escapes(std::string_view text, std::deque<std::string>& made);

/// @throws Error{kBadFile} when it is no number.
double number_in(std::string_view text);

/// The characters of UTF-8 text as one byte each; nothing above U+00FF is in `bytes`.
std::string latin1_bytes(std::string_view utf8);

}  // namespace sinter::weights::pickle
