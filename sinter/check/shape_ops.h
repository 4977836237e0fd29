#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/check/shape_run.h"

namespace sinter::check {

/// The shapes of a node's operands do not fit.
struct Misfit : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Operands of one node: null where unknown or left out.
using Operands = std::vector<const Sketch*>;

/// Follows one operator: what is known of its outputs, unknown ones left out.
using ShapeRule = std::vector<std::optional<Sketch>> (*)(const graph::OutlineNode&, const Operands&,
                                                         std::int64_t opset);

/// Null: the operator is not known here.
ShapeRule shape_rule(std::string_view op);

/// Applies a rule. Sizes that no tensor can have are unknown.
/// @throws Misfit where the operands do not fit together.
std::vector<std::optional<Sketch>> follow(ShapeRule rule, const graph::OutlineNode& node,
                                          const Operands& operands, std::int64_t opset);

}  // namespace sinter::check
