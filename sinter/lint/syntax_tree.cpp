#include "sinter/lint/syntax_tree.h"

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

}  // namespace sinter::lint
