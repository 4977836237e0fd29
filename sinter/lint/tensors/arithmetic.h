#pragma once

#include <string>

#include "sinter/lint/flow/interpreter.h"

namespace sinter::lint {

/// A binary operator with a tensor on one side at least; "+=" and the like work in place.
Value tensor_binary(Interpreter& in, const std::string& op, const Value& left, const Value& right,
                    const Place& place);

}  // namespace sinter::lint
