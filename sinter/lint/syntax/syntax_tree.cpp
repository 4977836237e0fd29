#include "sinter/lint/syntax/syntax_tree.h"

#include <tree_sitter/api.h>

#include <cstdint>
#include <utility>

extern "C" const TSLanguage* tree_sitter_python(void);

namespace sinter::lint {

void SyntaxTree::Delete::operator()(TSTree* tree) const { ts_tree_delete(tree); }

SyntaxTree::SyntaxTree(std::string text) : text_(std::move(text)) {
  const std::unique_ptr<TSParser, decltype(&ts_parser_delete)> parser(ts_parser_new(),
                                                                      ts_parser_delete);
  ts_parser_set_language(parser.get(), tree_sitter_python());
  tree_.reset(ts_parser_parse_string(parser.get(), nullptr, text_.data(),
                                     static_cast<std::uint32_t>(text_.size())));
}

bool SyntaxTree::has_errors() const { return ts_node_has_error(ts_tree_root_node(tree_.get())); }

std::optional<Place> SyntaxTree::first_error() const {
  TSNode node = ts_tree_root_node(tree_.get());
  if (!ts_node_has_error(node)) return std::nullopt;
  while (!ts_node_is_error(node) && !ts_node_is_missing(node)) {
    const std::uint32_t count = ts_node_child_count(node);
    std::uint32_t i = 0;
    while (i < count && !ts_node_has_error(ts_node_child(node, i))) ++i;
    if (i == count) break;
    node = ts_node_child(node, i);
  }
  const TSPoint point = ts_node_start_point(node);
  return Place{.line = point.row + 1,
               .column = point.column + 1,
               .begin = ts_node_start_byte(node),
               .end = ts_node_end_byte(node)};
}

}  // namespace sinter::lint
