#include <gtest/gtest.h>

#include "sinter/base/error.h"
#include "sinter/lint/syntax/ast.h"
#include "tests/lint/script_test.h"

namespace sinter::lint {
namespace {

TEST(ScriptReader, ReadsExpressionsWithTheirPlaces) {
  const Script script = read_script("x = f(1, *a, k=2, **b)[1:, ::2].y\n");
  ASSERT_EQ(script.body.size(), 1U);
  const Expr& attribute = *script.body[0]->value;
  ASSERT_EQ(attribute.kind, ExprKind::kAttribute);
  EXPECT_EQ(attribute.text, "y");
  EXPECT_EQ(attribute.place.column, 5U);
  const Expr& subscript = *attribute.parts[0];
  ASSERT_EQ(subscript.kind, ExprKind::kSubscript);
  EXPECT_EQ(subscript.parts[1]->kind, ExprKind::kTuple);
  const Expr& call = *subscript.parts[0];
  ASSERT_EQ(call.kind, ExprKind::kCall);
  EXPECT_EQ(call.names, (std::vector<std::string>{"", "", "*", "k", "**"}));
}

TEST(ScriptReader, ReadsStatements) {
  const Script script = read_script(R"(
@deco(1)
async def f(a, b: int = 2, *c, d, **e) -> int:
    async with open(a) as g, h:
        yield g
try:
    a = b = 1
    a += 1
except (A, B) as error:
    raise
else:
    pass
finally:
    del a
if a:
    pass
elif b:
    pass
else:
    pass
match a:
    case "x":
        pass
    case _:
        pass
)");
  EXPECT_FALSE(script.broken);
  ASSERT_EQ(script.body.size(), 4U);
  const FunctionDef& function = *script.body[0]->function;
  EXPECT_TRUE(function.generator);
  ASSERT_EQ(function.parameters.size(), 5U);
  EXPECT_EQ(function.parameters[3].kind, Parameter::Kind::kKeywordOnly);
  EXPECT_EQ(script.body[1]->handlers[0].name, "error");
  EXPECT_EQ(script.body[1]->body[0]->targets.size(), 2U);
  EXPECT_EQ(script.body[1]->final.size(), 1U);
  EXPECT_EQ(script.body[2]->other[0]->kind, StatementKind::kIf);
  EXPECT_EQ(script.body[3]->handlers.size(), 2U);
}

TEST(ScriptReader, SurvivesAnyDepth) {
  const std::string deep = "x = " + std::string(5000, '(') + "1" + std::string(5000, ')') + "\n";
  EXPECT_EQ(found(deep), Lines{});
  std::string blocks;
  for (int i = 0; i < 90; ++i) blocks += std::string(static_cast<std::size_t>(i), ' ') + "if x:\n";
  EXPECT_EQ(found(blocks + std::string(90, ' ') + "pass\n"), Lines{});
  std::string chain = "if x == 0:\n    pass\n";
  for (int i = 1; i < 30000; ++i) chain += "elif x == 1:\n    pass\n";
  EXPECT_EQ(found(chain), Lines{});
}

TEST(ScriptReader, RefusesBrokenScriptsWithThePlace) {
  try {
    check_script("broken.py", "import torch\ndef f(:\n    pass\n");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadFile);
    EXPECT_EQ(error.message(), "broken.py:2:7: this cannot be read as Python");
  }
}

}  // namespace
}  // namespace sinter::lint
