#pragma once

#include "sinter/lint/ast.h"
#include "sinter/lint/finding.h"

namespace sinter::lint {

/// The rules that look at the text of a script and not at what flows through it.
void check_text(const Script& script, Findings& findings);

}  // namespace sinter::lint
