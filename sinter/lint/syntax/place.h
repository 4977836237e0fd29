#pragma once

#include <cstdint>

namespace sinter::lint {

/// A piece of a script. Lines and columns count from 1, columns in bytes; [begin, end) are byte
/// offsets. Line 0 is no place.
struct Place {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool known() const { return line != 0; }
  friend bool operator==(const Place&, const Place&) = default;
};

}  // namespace sinter::lint
