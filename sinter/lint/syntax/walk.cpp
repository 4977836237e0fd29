#include "sinter/lint/syntax/walk.h"

#include <algorithm>
#include <iterator>
#include <vector>

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

const Statement* statement_at(const Body& body, std::uint32_t byte) {
  const auto behind = std::ranges::upper_bound(
      body, byte, {}, [](const auto& statement) { return statement->place.begin; });
  if (behind == body.begin()) return nullptr;
  const Statement& found = **std::prev(behind);
  if (byte >= found.place.end) return nullptr;
  std::vector<const Body*> inner{&found.body, &found.other, &found.final};
  for (const Handler& handler : found.handlers) inner.push_back(&handler.body);
  if (found.function) inner.push_back(&found.function->body);
  if (found.class_def) inner.push_back(&found.class_def->body);
  for (const Body* part : inner)
    if (const Statement* deeper = statement_at(*part, byte)) return deeper;
  return &found;
}

void each_expression(const Expr& expr, const std::function<void(const Expr&)>& visit) {
  visit(expr);
  for (const ExprPtr& part : expr.parts)
    if (part) each_expression(*part, visit);
}

}  // namespace sinter::lint
