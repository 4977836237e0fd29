#include <string>
#include <utility>

#include "sinter/lint/syntax/script_reader.h"

namespace sinter::lint {
namespace {

constexpr int kDeepestBlock = 120;

}  // namespace

Body ScriptReader::block(TSNode node) {
  Body body;
  if (depth_ >= kDeepestBlock) return body;
  ++depth_;
  for (const TSNode item : children(node)) statement(item, body);
  --depth_;
  return body;
}

void ScriptReader::statement(TSNode node, Body& into) {
  const std::string_view type = kind(node);
  if (type == "if_statement" || type == "for_statement" || type == "while_statement" ||
      type == "try_statement" || type == "with_statement" || type == "match_statement" ||
      type == "function_definition" || type == "class_definition" ||
      type == "decorated_definition") {
    flow(node, into);
  } else {
    simple_statement(node, into);
  }
}

void ScriptReader::flow(TSNode node, Body& into) {
  const std::string_view type = kind(node);
  auto made = std::make_unique<Statement>();
  Statement& item = *made;
  item.place = place(node);
  if (type == "if_statement") {
    if_statement(node, item);
  } else if (type == "for_statement") {
    item.kind = StatementKind::kFor;
    item.targets.push_back(child(node, "left"));
    item.value = child(node, "right");
    if (!item.targets[0] || !item.value) return;
    item.body = block(field(node, "body"));
    item.other = else_block(node);
  } else if (type == "while_statement") {
    item.kind = StatementKind::kWhile;
    item.value = child(node, "condition");
    if (!item.value) return;
    item.body = block(field(node, "body"));
    item.other = else_block(node);
  } else if (type == "try_statement") {
    try_statement(node, item);
  } else if (type == "with_statement") {
    with_statement(node, item);
  } else if (type == "match_statement") {
    match_statement(node, item);
  } else {
    TSNode definition = node;
    std::vector<ExprPtr> decorators;
    if (type == "decorated_definition") {
      for (const TSNode part : children(node))
        if (kind(part) == "decorator")
          for (const TSNode inner : children(part)) decorators.push_back(expression(inner));
      definition = field(node, "definition");
      if (ts_node_is_null(definition)) return;
    }
    if (kind(definition) == "class_definition") {
      item.kind = StatementKind::kClass;
      item.class_def = class_definition(definition);
      item.class_def->decorators = std::move(decorators);
    } else {
      item.kind = StatementKind::kFunction;
      item.function = function(definition);
      item.function->decorators = std::move(decorators);
    }
  }
  into.push_back(std::move(made));
}

void ScriptReader::simple_statement(TSNode node, Body& into) {
  const std::string_view type = kind(node);
  auto made = std::make_unique<Statement>();
  Statement& item = *made;
  item.place = place(node);
  const Nodes parts = children(node);
  if (type == "expression_statement") {
    if (parts.empty()) return;
    if (parts.size() == 1 &&
        (kind(parts[0]) == "assignment" || kind(parts[0]) == "augmented_assignment")) {
      assignment(parts[0], item);
    } else {
      item.kind = StatementKind::kExpression;
      item.value = parts.size() == 1 ? expression(parts[0]) : make(ExprKind::kTuple, node);
      if (parts.size() > 1) all_into(*item.value, node);
    }
  } else if (type == "return_statement") {
    item.kind = StatementKind::kReturn;
    if (!parts.empty()) item.value = expression(parts[0]);
  } else if (type == "raise_statement") {
    item.kind = StatementKind::kRaise;
    if (!parts.empty()) item.value = expression(parts[0]);
  } else if (type == "import_statement" || type == "import_from_statement") {
    imports(node, item);
  } else if (type == "delete_statement") {
    item.kind = StatementKind::kDelete;
    for (const TSNode part : parts) item.targets.push_back(expression(part));
  } else if (type == "global_statement" || type == "nonlocal_statement") {
    item.kind = StatementKind::kGlobal;
    for (const TSNode part : parts) item.names.emplace_back(text(part));
  } else if (type == "assert_statement") {
    item.kind = StatementKind::kAssert;
    if (!parts.empty()) item.value = expression(parts[0]);
  } else if (type == "break_statement") {
    item.kind = StatementKind::kBreak;
  } else if (type == "continue_statement") {
    item.kind = StatementKind::kContinue;
  } else {
    item.kind = StatementKind::kPass;
  }
  into.push_back(std::move(made));
}

void ScriptReader::assignment(TSNode node, Statement& into) {
  if (kind(node) == "augmented_assignment") {
    into.kind = StatementKind::kAugmented;
    into.text = text(field(node, "operator"));
    into.targets.push_back(child(node, "left"));
    into.value = child(node, "right");
    if (!into.targets[0] || !into.value) into.kind = StatementKind::kPass;
    return;
  }
  into.kind = StatementKind::kAssign;
  TSNode at = node;
  // a = b = value nests to the right; the depth is bounded because each level is one iteration.
  while (true) {
    ExprPtr left = child(at, "left");
    if (!left) {
      into.kind = StatementKind::kPass;
      return;
    }
    if (!ts_node_is_null(field(at, "type"))) into.kind = StatementKind::kAnnotated;
    into.targets.push_back(std::move(left));
    const TSNode right = field(at, "right");
    if (ts_node_is_null(right)) return;
    if (kind(right) != "assignment") {
      into.value = expression(right);
      return;
    }
    at = right;
  }
}

Body ScriptReader::else_block(TSNode node) {
  const TSNode other = field(node, "alternative");
  if (ts_node_is_null(other)) return {};
  const TSNode body = field(other, "body");
  return ts_node_is_null(body) ? Body{} : block(body);
}

void ScriptReader::if_statement(TSNode node, Statement& into) {
  into.kind = StatementKind::kIf;
  into.value = child(node, "condition");
  if (!into.value) into.value = make(ExprKind::kUnknown, node);
  const TSNode then = field(node, "consequence");
  if (!ts_node_is_null(then)) into.body = block(then);
  // Every elif lies in the else of the one before, so it counts as a level; what is too deep is
  // left out.
  Body* rest = &into.other;
  const int outside = depth_;
  for (const TSNode part : children(node)) {
    if (depth_ >= kDeepestBlock) break;
    if (kind(part) == "elif_clause") {
      ++depth_;
      auto nested = std::make_unique<Statement>();
      nested->kind = StatementKind::kIf;
      nested->place = place(part);
      nested->value = child(part, "condition");
      if (!nested->value) nested->value = make(ExprKind::kUnknown, part);
      const TSNode body = field(part, "consequence");
      if (!ts_node_is_null(body)) nested->body = block(body);
      rest->push_back(std::move(nested));
      rest = &rest->back()->other;
    } else if (kind(part) == "else_clause") {
      const TSNode body = field(part, "body");
      if (!ts_node_is_null(body)) *rest = block(body);
    }
  }
  depth_ = outside;
}

Handler ScriptReader::handler(TSNode node) {
  Handler made;
  made.place = place(node);
  for (const TSNode part : children(node)) {
    if (kind(part) == "block") {
      made.body = block(part);
    } else if (kind(part) == "as_pattern") {
      const Nodes inner = children(part);
      if (!inner.empty()) made.type = expression(inner[0]);
      if (inner.size() > 1) made.name = text(inner[1]);
    } else if (!made.type) {
      made.type = expression(part);
    } else {
      made.name = text(part);
    }
  }
  return made;
}

void ScriptReader::try_statement(TSNode node, Statement& into) {
  into.kind = StatementKind::kTry;
  into.body = block(field(node, "body"));
  for (const TSNode part : children(node)) {
    const std::string_view type = kind(part);
    if (type == "except_clause" || type == "except_group_clause") {
      into.handlers.push_back(handler(part));
    } else if (type == "else_clause") {
      const TSNode body = field(part, "body");
      if (!ts_node_is_null(body)) into.other = block(body);
    } else if (type == "finally_clause") {
      for (const TSNode inner : children(part))
        if (kind(inner) == "block") into.final = block(inner);
    }
  }
}

void ScriptReader::with_statement(TSNode node, Statement& into) {
  into.kind = StatementKind::kWith;
  for (const TSNode part : children(node)) {
    if (kind(part) != "with_clause") continue;
    Nodes items = children(part);
    for (const TSNode item : items) {
      TSNode value = field(item, "value");
      if (ts_node_is_null(value)) continue;
      WithItem made;
      if (kind(value) == "as_pattern") {
        const Nodes inner = children(value);
        if (inner.empty()) continue;
        made.value = expression(inner[0]);
        if (inner.size() > 1) {
          const Nodes target = children(inner[1]);  // as_pattern_target holds the target
          made.target = expression(target.empty() ? inner[1] : target[0]);
        }
      } else {
        made.value = expression(value);
      }
      into.items.push_back(std::move(made));
    }
  }
  into.body = block(field(node, "body"));
}

void ScriptReader::match_statement(TSNode node, Statement& into) {
  into.kind = StatementKind::kMatch;
  into.value = child(node, "subject");
  const TSNode body = field(node, "body");
  if (ts_node_is_null(body)) return;
  for (const TSNode part : children(body)) {
    if (kind(part) != "case_clause") continue;
    Handler made;
    made.place = place(part);
    for (const TSNode inner : children(part)) {
      if (kind(inner) == "block") {
        made.body = block(inner);
      } else if (kind(inner) == "case_pattern" && !made.type) {
        const Nodes pattern = children(inner);
        if (!pattern.empty()) made.type = expression(pattern[0]);
        if (pattern.empty() && text(inner) == "_") made.name = "_";
      }
    }
    into.handlers.push_back(std::move(made));
  }
}

void ScriptReader::imports(TSNode node, Statement& into) {
  into.kind = StatementKind::kImport;
  const bool from = kind(node) == "import_from_statement";
  std::string module;
  if (from) {
    const TSNode name = field(node, "module_name");
    if (!ts_node_is_null(name)) module = text(name);
  }
  bool first = true;
  for (const TSNode part : children(node)) {
    if (from && std::exchange(first, false)) continue;  // the module itself
    Import made{.place = place(part), .module = module, .name = {}, .alias = {}};
    std::string name;
    if (kind(part) == "aliased_import") {
      name = text(field(part, "name"));
      made.alias = text(field(part, "alias"));
    } else if (kind(part) == "wildcard_import") {
      name = "*";
    } else {
      name = text(part);
    }
    (from ? made.name : made.module) = name;
    into.imports.push_back(std::move(made));
  }
}

std::unique_ptr<FunctionDef> ScriptReader::function(TSNode node) {
  auto made = std::make_unique<FunctionDef>();
  made->place = place(node);
  made->header = made->place;
  made->name = text(field(node, "name"));
  const TSNode list = field(node, "parameters");
  if (!ts_node_is_null(list)) parameters(list, *made);
  yields_.push_back(false);
  const TSNode body = field(node, "body");
  if (!ts_node_is_null(body)) made->body = block(body);
  made->generator = yields_.back();
  yields_.pop_back();
  return made;
}

void ScriptReader::parameters(TSNode node, FunctionDef& into) {
  bool keyword_only = false;
  for (const TSNode part : children(node)) {
    const std::string_view type = kind(part);
    if (type == "keyword_separator") keyword_only = true;
    if (type == "keyword_separator" || type == "positional_separator") continue;
    Parameter made;
    made.kind = keyword_only ? Parameter::Kind::kKeywordOnly : Parameter::Kind::kPlain;
    TSNode name = part;
    if (type == "default_parameter" || type == "typed_default_parameter") {
      name = field(part, "name");
      made.fallback = child(part, "value");
      made.type = child(part, "type");
    } else if (type == "typed_parameter") {
      const Nodes inner = children(part);
      if (inner.empty()) continue;
      name = inner[0];
      made.type = child(part, "type");
    }
    if (kind(name) == "list_splat_pattern" || kind(name) == "dictionary_splat_pattern") {
      const bool list = kind(name) == "list_splat_pattern";
      made.kind = list ? Parameter::Kind::kList : Parameter::Kind::kDict;
      keyword_only = keyword_only || list;
      const Nodes inner = children(name);
      if (inner.empty()) continue;
      name = inner[0];
    }
    made.name = text(name);
    into.parameters.push_back(std::move(made));
  }
}

std::unique_ptr<ClassDef> ScriptReader::class_definition(TSNode node) {
  auto made = std::make_unique<ClassDef>();
  made->place = place(node);
  made->name = text(field(node, "name"));
  const TSNode bases = field(node, "superclasses");
  if (!ts_node_is_null(bases))
    for (const TSNode base : children(bases))
      if (kind(base) != "keyword_argument") made->bases.push_back(expression(base));
  yields_.push_back(false);
  const TSNode body = field(node, "body");
  if (!ts_node_is_null(body)) made->body = block(body);
  yields_.pop_back();
  return made;
}

}  // namespace sinter::lint
