#pragma once

#include <string>
#include <vector>

#include "sinter/lint/report/finding.h"

namespace sinter::lint {

/// The script with edits applied. An edit that overlaps an earlier one is dropped.
std::string apply_edits(const std::string& text, const std::vector<const Edit*>& edits);

/// A unified diff with three lines of context; empty when nothing differs.
std::string unified_diff(const std::string& path, const std::string& before,
                         const std::string& after);

}  // namespace sinter::lint
