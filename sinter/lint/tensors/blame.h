#pragma once

#include <optional>
#include <string_view>

#include "sinter/lint/flow/interpreter.h"

namespace sinter::lint {

/// What a tensor does in an operation.
enum class Role { kPlain, kIndex, kTarget };

/// Reports that `wrong` is not where `other` is.
void blame(Interpreter& in, const Facts& wrong, const Facts& other, Role role,
           std::string_view what, const Place& use);

/// Reports float input for half weights and the like.
void check_types(Interpreter& in, const Facts& input, std::optional<DType> weights,
                 std::string_view what, const Place& use);

/// Reports a generator of another device than the tensor that it fills.
void check_generator(Interpreter& in, const Device& filled, const Invocation& call);

}  // namespace sinter::lint
