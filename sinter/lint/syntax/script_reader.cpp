#include "sinter/lint/syntax/script_reader.h"

#include <string>
#include <utility>

#include "sinter/lint/syntax/syntax_tree.h"

namespace sinter::lint {
namespace {

// Deeper trees come from forged scripts only, and every level costs stack here and in what follows.
constexpr int kDeepest = 150;

}  // namespace

std::string_view ScriptReader::text(TSNode node) const {
  const std::uint32_t begin = ts_node_start_byte(node);
  return std::string_view(script_.text).substr(begin, ts_node_end_byte(node) - begin);
}

Place ScriptReader::place(TSNode node) const {
  const TSPoint point = ts_node_start_point(node);
  return {.line = point.row + 1,
          .column = point.column + 1,
          .begin = ts_node_start_byte(node),
          .end = ts_node_end_byte(node)};
}

ScriptReader::Nodes ScriptReader::children(TSNode node) const {
  Nodes nodes;
  TSTreeCursor cursor = ts_tree_cursor_new(node);
  if (ts_tree_cursor_goto_first_child(&cursor)) {
    do {
      const TSNode item = ts_tree_cursor_current_node(&cursor);
      if (ts_node_is_named(item) && !ts_node_is_extra(item)) nodes.push_back(item);
    } while (ts_tree_cursor_goto_next_sibling(&cursor));
  }
  ts_tree_cursor_delete(&cursor);
  return nodes;
}

TSNode ScriptReader::field(TSNode node, std::string_view name) const {
  return ts_node_child_by_field_name(node, name.data(), static_cast<std::uint32_t>(name.size()));
}

ExprPtr ScriptReader::make(ExprKind kind, TSNode node) const {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->place = place(node);
  expr->tail = expr->place;
  return expr;
}

ExprPtr ScriptReader::child(TSNode node, std::string_view name) {
  const TSNode found = field(node, name);
  return ts_node_is_null(found) ? nullptr : expression(found);
}

void ScriptReader::all_into(Expr& expr, TSNode node) {
  for (const TSNode item : children(node)) expr.parts.push_back(expression(item));
}

ExprPtr ScriptReader::expression(TSNode node) {
  if (depth_ >= kDeepest) return make(ExprKind::kUnknown, node);
  ++depth_;
  ExprPtr expr = simple(node);
  if (!expr) expr = operation(node);
  if (!expr) expr = compound(node);
  if (!expr) expr = make(ExprKind::kUnknown, node);
  --depth_;
  return expr;
}

ExprPtr ScriptReader::simple(TSNode node) {
  const std::string_view type = kind(node);
  if (type == "identifier" || type == "keyword_identifier") {
    ExprPtr expr = make(ExprKind::kName, node);
    expr->text = text(node);
    return expr;
  }
  if (type == "integer" || type == "float") return number(node);
  if (type == "string") return string(node);
  if (type == "concatenated_string") return joined_strings(node);
  if (type == "true") return make(ExprKind::kTrue, node);
  if (type == "false") return make(ExprKind::kFalse, node);
  if (type == "none") return make(ExprKind::kNone, node);
  if (type == "ellipsis") return make(ExprKind::kEllipsis, node);
  return nullptr;
}

ExprPtr ScriptReader::operation(TSNode node) {
  const std::string_view type = kind(node);
  if (type == "attribute") {
    ExprPtr expr = make(ExprKind::kAttribute, node);
    const TSNode name = field(node, "attribute");
    expr->text = text(name);
    expr->tail = place(name);
    expr->parts.push_back(child(node, "object"));
    return expr;
  }
  if (type == "binary_operator" || type == "boolean_operator") {
    ExprPtr expr = make(type[1] == 'i' ? ExprKind::kBinary : ExprKind::kBool, node);
    expr->text = text(field(node, "operator"));
    expr->parts.push_back(child(node, "left"));
    expr->parts.push_back(child(node, "right"));
    return expr;
  }
  if (type == "unary_operator" || type == "not_operator") {
    ExprPtr expr = make(type == "not_operator" ? ExprKind::kNot : ExprKind::kUnary, node);
    if (expr->kind == ExprKind::kUnary) expr->text = text(field(node, "operator"));
    expr->parts.push_back(child(node, "argument"));
    return expr;
  }
  if (type == "comparison_operator") return comparison(node);
  if (type == "call") return call(node);
  if (type == "subscript") return subscript(node);
  if (type == "slice") return slice(node);
  if (type == "conditional_expression") {
    ExprPtr expr = make(ExprKind::kConditional, node);
    all_into(*expr, node);
    if (expr->parts.size() != 3) expr->kind = ExprKind::kUnknown;
    return expr;
  }
  return nullptr;
}

ExprPtr ScriptReader::compound(TSNode node) {
  const std::string_view type = kind(node);
  if (type == "parenthesized_expression") {
    const Nodes inner = children(node);
    return inner.size() == 1 ? expression(inner[0]) : nullptr;
  }
  const auto with_all = [&](ExprKind expr_kind) {
    ExprPtr expr = make(expr_kind, node);
    all_into(*expr, node);
    return expr;
  };
  if (type == "tuple" || type == "expression_list" || type == "pattern_list" ||
      type == "tuple_pattern")
    return with_all(ExprKind::kTuple);
  if (type == "list" || type == "list_pattern") return with_all(ExprKind::kList);
  if (type == "set") return with_all(ExprKind::kSet);
  if (type == "dictionary") return dictionary(node);
  if (type == "list_splat" || type == "list_splat_pattern") return with_all(ExprKind::kStar);
  if (type == "dictionary_splat" || type == "dictionary_splat_pattern")
    return with_all(ExprKind::kDoubleStar);
  if (type == "await") return with_all(ExprKind::kAwait);
  if (type == "list_comprehension") return comprehension(node, "list");
  if (type == "set_comprehension") return comprehension(node, "set");
  if (type == "generator_expression") return comprehension(node, "generator");
  if (type == "dictionary_comprehension") return comprehension(node, "dict");
  if (type == "lambda") return lambda(node);
  if (type == "named_expression") {
    ExprPtr expr = make(ExprKind::kNamed, node);
    expr->text = text(field(node, "name"));
    expr->parts.push_back(child(node, "value"));
    return expr;
  }
  if (type == "yield") {
    ExprPtr expr = with_all(ExprKind::kYield);
    yields_.back() = true;
    if (text(node).substr(0, 12).find("from") != std::string_view::npos &&
        text(node).starts_with("yield from"))
      expr->text = "from";
    return expr;
  }
  return nullptr;
}

ExprPtr ScriptReader::number(TSNode node) {
  ExprPtr expr = make(ExprKind::kNumber, node);
  std::string digits;
  for (const char c : text(node))
    if (c != '_') digits += c;
  expr->integer = kind(node) == "integer";
  if (!digits.empty() && (digits.back() == 'j' || digits.back() == 'J'))
    return make(ExprKind::kUnknown, node);
  if (expr->integer && digits.size() > 2 && digits[0] == '0' && digits[1] > '9') {
    const int base = (digits[1] | 32) == 'x' ? 16 : (digits[1] | 32) == 'o' ? 8 : 2;
    expr->number = static_cast<double>(std::strtoull(digits.c_str() + 2, nullptr, base));
  } else {
    expr->number = std::strtod(digits.c_str(), nullptr);
  }
  return expr;
}

ExprPtr ScriptReader::string(TSNode node) {
  ExprPtr expr = make(ExprKind::kFormatted, node);
  bool bytes = false;
  const auto append = [&](std::string_view piece) {
    if (expr->parts.empty() || expr->parts.back()->kind != ExprKind::kText) {
      expr->parts.push_back(make(ExprKind::kText, node));
    }
    expr->parts.back()->text += piece;
  };
  for (const TSNode item : children(node)) {
    const std::string_view type = kind(item);
    if (type == "string_start") {
      bytes = text(item).find_first_of("bB") != std::string_view::npos;
    } else if (type == "interpolation") {
      ExprPtr value = child(item, "expression");
      if (value) expr->parts.push_back(std::move(value));
    } else if (type != "string_end") {
      append(text(item));  // escapes stay as they are written: no rule looks inside them
    }
  }
  if (bytes) return make(ExprKind::kUnknown, node);
  if (expr->parts.empty()) append("");
  if (expr->parts.size() > 1 || expr->parts[0]->kind != ExprKind::kText) return expr;
  script_.string_constants.push_back(expr->place);
  return std::move(expr->parts[0]);
}

ExprPtr ScriptReader::joined_strings(TSNode node) {
  ExprPtr expr = make(ExprKind::kFormatted, node);
  for (const TSNode item : children(node)) {
    ExprPtr piece = expression(item);
    if (piece->kind == ExprKind::kFormatted) {
      for (ExprPtr& part : piece->parts) expr->parts.push_back(std::move(part));
    } else {
      expr->parts.push_back(std::move(piece));
    }
  }
  for (const ExprPtr& part : expr->parts)
    if (part->kind != ExprKind::kText) return expr;
  ExprPtr joined = make(ExprKind::kText, node);
  for (const ExprPtr& part : expr->parts) joined->text += part->text;
  return joined;
}

ExprPtr ScriptReader::call(TSNode node) {
  ExprPtr expr = make(ExprKind::kCall, node);
  expr->parts.push_back(child(node, "function"));
  expr->names.emplace_back();
  const TSNode arguments = field(node, "arguments");
  if (ts_node_is_null(arguments) || !expr->parts[0]) return make(ExprKind::kUnknown, node);
  expr->tail = place(arguments);
  if (kind(arguments) == "generator_expression") {
    expr->parts.push_back(expression(arguments));
    expr->names.emplace_back();
    return expr;
  }
  for (const TSNode item : children(arguments)) {
    const std::string_view type = kind(item);
    std::string name;
    ExprPtr value;
    if (type == "keyword_argument") {
      name = text(field(item, "name"));
      value = child(item, "value");
    } else if (type == "list_splat" || type == "dictionary_splat") {
      name = type == "list_splat" ? "*" : "**";
      const Nodes inner = children(item);
      if (!inner.empty()) value = expression(inner[0]);
    } else {
      value = expression(item);
    }
    if (!value) continue;
    expr->parts.push_back(std::move(value));
    expr->names.push_back(std::move(name));
  }
  return expr;
}

ExprPtr ScriptReader::subscript(TSNode node) {
  ExprPtr expr = make(ExprKind::kSubscript, node);
  Nodes items = children(node);
  if (items.size() < 2) return make(ExprKind::kUnknown, node);
  expr->parts.push_back(expression(items[0]));
  if (items.size() == 2) {
    expr->parts.push_back(expression(items[1]));
    return expr;
  }
  ExprPtr index = make(ExprKind::kTuple, items[1]);
  for (std::size_t i = 1; i < items.size(); ++i) index->parts.push_back(expression(items[i]));
  expr->parts.push_back(std::move(index));
  return expr;
}

ExprPtr ScriptReader::slice(TSNode node) {
  ExprPtr expr = make(ExprKind::kSlice, node);
  expr->parts.resize(3);
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < ts_node_child_count(node); ++i) {
    const TSNode item = ts_node_child(node, i);
    if (kind(item) == ":") {
      ++at;
    } else if (ts_node_is_named(item) && !ts_node_is_extra(item) && at < 3) {
      expr->parts[at] = expression(item);
    }
  }
  return expr;
}

ExprPtr ScriptReader::comparison(TSNode node) {
  ExprPtr expr = make(ExprKind::kCompare, node);
  std::string op;
  for (std::uint32_t i = 0; i < ts_node_child_count(node); ++i) {
    const TSNode item = ts_node_child(node, i);
    if (ts_node_is_extra(item)) continue;
    if (!ts_node_is_named(item)) {
      if (!op.empty()) op += ' ';
      op += text(item);
      continue;
    }
    expr->parts.push_back(expression(item));
    expr->names.push_back(std::exchange(op, {}));
  }
  if (expr->parts.size() < 2) return make(ExprKind::kUnknown, node);
  return expr;
}

ExprPtr ScriptReader::dictionary(TSNode node) {
  ExprPtr expr = make(ExprKind::kDict, node);
  for (const TSNode item : children(node)) {
    if (kind(item) == "pair") {
      ExprPtr pair = make(ExprKind::kPair, item);
      pair->parts.push_back(child(item, "key"));
      pair->parts.push_back(child(item, "value"));
      if (pair->parts[0] && pair->parts[1]) expr->parts.push_back(std::move(pair));
    } else if (kind(item) == "dictionary_splat") {
      expr->parts.push_back(expression(item));
    }
  }
  return expr;
}

ExprPtr ScriptReader::comprehension(TSNode node, std::string_view type) {
  ExprPtr expr = make(ExprKind::kComprehension, node);
  expr->text = type;
  const TSNode body = field(node, "body");
  if (ts_node_is_null(body)) return make(ExprKind::kUnknown, node);
  if (kind(body) == "pair") {
    ExprPtr pair = make(ExprKind::kPair, body);
    pair->parts.push_back(child(body, "key"));
    pair->parts.push_back(child(body, "value"));
    if (!pair->parts[0] || !pair->parts[1]) return make(ExprKind::kUnknown, node);
    expr->parts.push_back(std::move(pair));
  } else {
    expr->parts.push_back(expression(body));
  }
  for (const TSNode item : children(node)) {
    if (kind(item) == "for_in_clause") {
      Clause clause;
      clause.target = child(item, "left");
      clause.source = child(item, "right");
      if (clause.target && clause.source) expr->clauses.push_back(std::move(clause));
    } else if (kind(item) == "if_clause" && !expr->clauses.empty()) {
      for (const TSNode condition : children(item))
        expr->clauses.back().conditions.push_back(expression(condition));
    }
  }
  return expr;
}

ExprPtr ScriptReader::lambda(TSNode node) {
  ExprPtr expr = make(ExprKind::kLambda, node);
  expr->function = std::make_unique<FunctionDef>();
  FunctionDef& function = *expr->function;
  function.name = "lambda";
  function.place = function.header = expr->place;
  const TSNode list = field(node, "parameters");
  if (!ts_node_is_null(list)) parameters(list, function);
  auto result = std::make_unique<Statement>();
  result->kind = StatementKind::kReturn;
  result->place = expr->place;
  yields_.push_back(false);
  result->value = child(node, "body");
  yields_.pop_back();
  function.body.push_back(std::move(result));
  return expr;
}

void ScriptReader::find_comments(TSNode root) {
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  bool more = true;
  while (more) {
    const TSNode node = ts_tree_cursor_current_node(&cursor);
    if (kind(node) == "comment") script_.comments.push_back(place(node));
    if (ts_tree_cursor_goto_first_child(&cursor)) continue;
    while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
      if (!ts_tree_cursor_goto_parent(&cursor)) {
        more = false;
        break;
      }
    }
  }
  ts_tree_cursor_delete(&cursor);
}

Script read_script(std::string text) {
  const SyntaxTree tree(std::move(text));
  Script script;
  script.text = tree.text();
  script.broken = tree.first_error();
  ScriptReader reader(script);
  script.body = reader.block(ts_tree_root_node(tree.tree()));
  reader.find_comments(ts_tree_root_node(tree.tree()));
  return script;
}

}  // namespace sinter::lint
