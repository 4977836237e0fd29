#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sinter {

/// "1 byte", "2 bytes": a number of things that are called `noun`, with an s where they are not
/// one.
std::string counted(std::uint64_t number, std::string_view noun);

/// Text for a terminal: control characters (C0, DEL, C1) and those that turn the direction of
/// writing as escapes ("\\x1b", "\\n", "\\u202e"), bytes that are no UTF-8 as U+FFFD. Done twice it
/// changes nothing more.
///
/// keep_lines: line feeds stay.
std::string printable(std::string_view text, bool keep_lines = false);

/// A name from a file for a message: printable, and of a very long one (the format allows
/// megabytes) the beginning and the end.
std::string shown(std::string_view name);

}  // namespace sinter
