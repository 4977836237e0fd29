#pragma once

#include "sinter/lint/report/finding.h"
#include "sinter/lint/syntax/ast.h"

namespace sinter::lint {

/// The rules that look at the text of a script and not at what flows through it.
void check_text(const Script& script, Findings& findings);

}  // namespace sinter::lint
