#pragma once

#include <string_view>
#include <vector>

#include "sinter/diagnose/log/excerpt.h"

namespace sinter::diagnose::log {

/// Undoes what a terminal, a console's clipboard or a container's log driver did to long lines:
/// where the log shows the width at which its lines were broken (at that column, or at the last
/// blank before it), the pieces become one line again. A log that shows none is left as it is.
std::vector<RawLine> unwrap(std::vector<RawLine> lines);

/// What begins a record or a part of a stack, never the rest of a line.
bool begins_anew(std::string_view text);

/// Whether a sentence cannot end here: a bracket is open, or a word like "and" stands last.
bool leaves_open(std::string_view text);

/// Whether `next`, which stands below `text`, reads as the rest of its sentence and not as another
/// message. Of the two lines only the words count, not their widths.
bool reads_on(std::string_view text, std::string_view next);

}  // namespace sinter::diagnose::log
