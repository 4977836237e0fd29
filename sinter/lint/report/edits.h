#pragma once

#include <string>
#include <vector>

#include "sinter/lint/report/finding.h"
#include "sinter/lint/report/line_table.h"

namespace sinter::lint {

/// The script with edits applied. An edit that overlaps an earlier one is dropped.
std::string apply_edits(const std::string& text, const std::vector<const Edit*>& edits);

/// A unified diff with three lines of context; empty when nothing differs. The texts begin at line
/// `first` of the file.
std::string unified_diff(const std::string& path, const std::string& before,
                         const std::string& after, std::size_t first = 1);

/// The unified diff of one edit. Reads no more of the text than the lines around it.
std::string edit_diff(const std::string& path, const std::string& text, const LineTable& lines,
                      const Edit& edit);

}  // namespace sinter::lint
