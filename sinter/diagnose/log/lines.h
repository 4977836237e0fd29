#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::diagnose::log {

/// What a logger said about a line; kNone where no logger wrote it.
enum class Level { kNone, kInfo, kWarning, kError };

/// One line as the program meant it: no colours, bars, time stamps or names of containers.
struct Line {
  std::size_t number = 0;  // in the file, from 1
  std::string text;        // indentation kept, no trailing blanks
  Level level = Level::kNone;
  bool stamped = false;  // a time, a level or the like stood before it: a record starts here
  bool boxed = false;    // it stood in a drawn frame
};

/// Appends what one line of a file says: nothing for a progress bar, several lines where carriage
/// returns, escaped newlines or a paste have put several into one. Blank lines are kept.
void append_lines(std::string_view raw, std::size_t number, std::vector<Line>& lines);

}  // namespace sinter::diagnose::log
