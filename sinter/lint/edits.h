#pragma once

#include <string>

#include "sinter/lint/finding.h"
#include "sinter/lint/interpreter.h"

namespace sinter::lint {

/// The change that repairs a tensor on the wrong device; empty when none can be written.
Edit edit_for(Rule rule, const Interpreter& in, const Source& source, const Facts& other);

/// Adds or changes dtype= of the call that made an input.
Edit dtype_edit(const Interpreter& in, const Source& source, DType wanted);

/// Adds a keyword argument to a call, or replaces its value.
Edit keyword_edit(const Interpreter& in, const Expr& call, const std::string& name,
                  const std::string& value, bool safe);

/// The script with an edit applied. Overlapping replacements of a later edit are dropped.
std::string apply_edits(const std::string& text, const std::vector<const Edit*>& edits);

/// A unified diff with three lines of context; empty when nothing differs.
std::string unified_diff(const std::string& path, const std::string& before,
                         const std::string& after);

}  // namespace sinter::lint
