#pragma once

#include <functional>

#include "sinter/lint/syntax/ast.h"

namespace sinter::lint {

/// Every statement of a block, those inside others too, in the order of the text.
void each_statement(const Body& body, const std::function<void(const Statement&)>& visit);

/// The innermost statement around that byte of the script; null where there is none.
const Statement* statement_at(const Body& body, std::uint32_t byte);

/// An expression and all that it is made of.
void each_expression(const Expr& expr, const std::function<void(const Expr&)>& visit);

}  // namespace sinter::lint
