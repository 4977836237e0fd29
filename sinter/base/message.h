#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sinter {

/// "1 byte", "2 bytes": a number of things that are called `noun`, with an s where they are not
/// one.
std::string counted(std::uint64_t number, std::string_view noun);

/// A name from a file for a message: of a very long one (the format allows megabytes) the beginning
/// and the end.
std::string shown(std::string_view name);

}  // namespace sinter
