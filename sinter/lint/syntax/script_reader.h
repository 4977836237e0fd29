#pragma once

#include <tree_sitter/api.h>

#include <string_view>
#include <vector>

#include "sinter/lint/syntax/ast.h"

namespace sinter::lint {

/// Turns nodes of the grammar into the tree of ast.h. Used by read_script() alone.
class ScriptReader {
 public:
  explicit ScriptReader(Script& script) : script_(script) {}

  Body block(TSNode node);
  ExprPtr expression(TSNode node);
  void find_comments(TSNode root);

 private:
  using Nodes = std::vector<TSNode>;

  std::string_view kind(TSNode node) const { return ts_node_type(node); }
  std::string_view text(TSNode node) const;
  Place place(TSNode node) const;
  Nodes children(TSNode node) const;  // named ones, without comments
  TSNode field(TSNode node, std::string_view name) const;
  ExprPtr make(ExprKind kind, TSNode node) const;
  ExprPtr child(TSNode node, std::string_view name);
  void all_into(Expr& expr, TSNode node);

  ExprPtr simple(TSNode node);
  ExprPtr compound(TSNode node);
  ExprPtr operation(TSNode node);
  ExprPtr number(TSNode node);
  ExprPtr string(TSNode node);
  ExprPtr joined_strings(TSNode node);
  ExprPtr call(TSNode node);
  ExprPtr subscript(TSNode node);
  ExprPtr slice(TSNode node);
  ExprPtr comparison(TSNode node);
  ExprPtr dictionary(TSNode node);
  ExprPtr comprehension(TSNode node, std::string_view type);
  ExprPtr lambda(TSNode node);

  void statement(TSNode node, Body& into);
  void flow(TSNode node, Body& into);
  void simple_statement(TSNode node, Body& into);
  void assignment(TSNode node, Statement& into);
  void if_statement(TSNode node, Statement& into);
  void try_statement(TSNode node, Statement& into);
  void with_statement(TSNode node, Statement& into);
  void match_statement(TSNode node, Statement& into);
  void imports(TSNode node, Statement& into);
  Handler handler(TSNode node);
  std::unique_ptr<FunctionDef> function(TSNode node);
  std::unique_ptr<ClassDef> class_definition(TSNode node);
  void parameters(TSNode node, FunctionDef& into);
  Body else_block(TSNode node);

  Script& script_;
  int depth_ = 0;
  std::vector<bool> yields_{false};  // whether the function being read has a yield
};

}  // namespace sinter::lint
