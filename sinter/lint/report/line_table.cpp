#include "sinter/lint/report/line_table.h"

#include <algorithm>

namespace sinter::lint {

LineTable::LineTable(std::string_view text) : text_(text), begins_{0} {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') begins_.push_back(i + 1);
}

std::size_t LineTable::line_at(std::size_t byte) const {
  const auto behind = std::upper_bound(begins_.begin(), begins_.end(), byte);
  return static_cast<std::size_t>(behind - begins_.begin());
}

std::size_t LineTable::column_at(std::size_t byte) const {
  const std::size_t begin = begin_of(line_at(byte));
  const std::string_view before = text_.substr(begin, std::min(byte, text_.size()) - begin);
  // Of a character in UTF-8, the first byte counts.
  return static_cast<std::size_t>(std::count_if(
             before.begin(), before.end(),
             [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; })) +
         1;
}

std::size_t LineTable::begin_of(std::size_t line) const {
  return line <= begins_.size() ? begins_[line - 1] : text_.size();
}

}  // namespace sinter::lint
