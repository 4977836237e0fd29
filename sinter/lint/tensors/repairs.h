#pragma once

#include <string>

#include "sinter/lint/flow/interpreter.h"

namespace sinter::lint {

/// The change that repairs a tensor on the wrong device; empty when none can be written.
Edit edit_for(Rule rule, const Interpreter& in, const Source& source, const Facts& other);

/// Makes the list or dict that is assigned to an attribute one of torch's, which registers its
/// modules; empty where it may hold something else.
Edit container_edit(const Script& script, const Place& attribute);

/// Adds or changes dtype= of the call that made an input.
Edit dtype_edit(const Interpreter& in, const Source& source, DType wanted);

/// Adds a keyword argument to a call, or replaces its value.
Edit keyword_edit(const Interpreter& in, const Expr& call, const std::string& name,
                  const std::string& value, bool safe);

}  // namespace sinter::lint
