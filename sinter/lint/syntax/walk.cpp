#include "sinter/lint/syntax/walk.h"

namespace sinter::lint {

void each_statement(const Body& body, const std::function<void(const Statement&)>& visit) {
  for (const auto& statement : body) {
    visit(*statement);
    each_statement(statement->body, visit);
    each_statement(statement->other, visit);
    each_statement(statement->final, visit);
    for (const Handler& handler : statement->handlers) each_statement(handler.body, visit);
    if (statement->function) each_statement(statement->function->body, visit);
    if (statement->class_def) each_statement(statement->class_def->body, visit);
  }
}

void each_expression(const Expr& expr, const std::function<void(const Expr&)>& visit) {
  visit(expr);
  for (const ExprPtr& part : expr.parts)
    if (part) each_expression(*part, visit);
}

}  // namespace sinter::lint
