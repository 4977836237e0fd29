#pragma once

#include <cstddef>
#include <span>

namespace sinter {

/// The number of leading bytes that are well-formed UTF-8 (Unicode 15, table 3-7): all of them, or
/// the place of the first ill-formed or unfinished character.
std::size_t utf8_length(std::span<const std::byte> bytes);

}  // namespace sinter
