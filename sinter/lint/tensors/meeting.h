#pragma once

#include <span>
#include <string_view>

#include "sinter/lint/tensors/blame.h"

namespace sinter::lint {

/// A tensor that takes part in an operation.
struct Operand {
  Facts* facts = nullptr;
  Role role = Role::kPlain;
};

/// How the operator wants its operands: kJoin lets CPU tensors of no dimension in.
enum class Meeting { kJoin, kStrict };

/// Checks the devices of an operation and returns device, source and history of its result.
/// Type and shape are the caller's.
Facts meet(Interpreter& in, std::string_view what, std::span<const Operand> operands,
           Meeting meeting, const Place& use);

}  // namespace sinter::lint
