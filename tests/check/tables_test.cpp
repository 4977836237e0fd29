#include <algorithm>
#include <set>

#include "sinter/check/op_table.h"
#include "sinter/check/rules.h"
#include "tests/check/checked.h"

namespace sinter::check {
namespace {

TEST(Tables, OperatorsAreSortedAndCounted) {
  EXPECT_TRUE(std::ranges::is_sorted(all_ops(), {}, &OpRow::name));
  for (const OpRow& row : all_ops()) {
    EXPECT_LE(row.min_inputs, row.max_inputs) << row.name;
    EXPECT_GE(row.since, 1) << row.name;
  }
  EXPECT_EQ(find_op("Conv")->max_inputs, 3);
  EXPECT_EQ(find_op("Upsample")->removed, 10);
  EXPECT_EQ(find_op("conv"), nullptr);
}

TEST(Tables, RulesHaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Rule& rule : rules()) EXPECT_TRUE(names.insert(rule.id).second) << rule.id;
}

TEST(Tables, TargetsStandWhereTheirNumberSays) {
  for (const TargetFacts& row : targets()) {
    EXPECT_EQ(&facts(row.target), &row);
    EXPECT_EQ(target_named(row.name), row.target);
    EXPECT_LE(row.everywhere, row.newest_opset);
  }
}

// What sinter itself writes has to pass everywhere.
TEST(Tables, ThePortableSetIsRefusedByNobody) {
  for (const char* op : {"Conv",
                         "MatMul",
                         "Add",
                         "Sub",
                         "Mul",
                         "Div",
                         "Sigmoid",
                         "Erf",
                         "Tanh",
                         "Softmax",
                         "LayerNormalization",
                         "InstanceNormalization",
                         "Reshape",
                         "Transpose",
                         "Concat",
                         "Split",
                         "Slice",
                         "Gather",
                         "Cast",
                         "Resize",
                         "Shape",
                         "Unsqueeze",
                         "Expand",
                         "Sin",
                         "Cos",
                         "Where",
                         "Pad",
                         "ArgMax",
                         "Exp"}) {
    ASSERT_NE(find_op(op), nullptr) << op;
    EXPECT_EQ(find_op(op)->refused, 0) << op;
  }
}

}  // namespace
}  // namespace sinter::check
