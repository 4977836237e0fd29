#include "sinter/lint/syntax/syntax_tree.h"

#include <gtest/gtest.h>

namespace sinter::lint {
namespace {

TEST(SyntaxTree, ReadsPython) {
  EXPECT_FALSE(SyntaxTree("import torch\nx = torch.zeros(1, device='cuda')\n").has_errors());
}

TEST(SyntaxTree, MarksBrokenScripts) {
  EXPECT_TRUE(SyntaxTree("def broken(:\n  return\n").has_errors());
}

}  // namespace
}  // namespace sinter::lint
