#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace sinter::lint {

/// Where the lines of a text begin, so that a place is found without reading the text again.
class LineTable {
 public:
  /// The text outlives the object.
  explicit LineTable(std::string_view text);

  /// The line of a byte, from 1. Bytes behind the end are on the last line.
  std::size_t line_at(std::size_t byte) const;
  /// Characters of its line before a byte, and one.
  std::size_t column_at(std::size_t byte) const;
  /// The first byte of a line; behind the last line the size of the text.
  std::size_t begin_of(std::size_t line) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> begins_;
};

}  // namespace sinter::lint
