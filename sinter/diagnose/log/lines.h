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
  std::size_t number = 0;   // in the file, from 1
  std::size_t further = 0;  // lines of the file below it that belong to it
  std::string text;         // indentation kept, no trailing blanks
  Level level = Level::kNone;
  bool stamped = false;  // a time, a level or the like stood before it: a record starts here
  bool carried = false;  // a container, a service or a launcher marks each line of its output
  bool boxed = false;    // it stood in a drawn frame
};

/// Appends what one line of a file says: nothing for a progress bar, several lines where carriage
/// returns, escaped newlines or a paste have put several into one. Blank lines are kept.
///
/// further: how many lines of the file below `number` were joined to it (see wrapping.h).
void append_lines(std::string_view raw, std::size_t number, std::vector<Line>& lines,
                  std::size_t further = 0);

}  // namespace sinter::diagnose::log
