#include "sinter/arch/key_map.h"

#include <gtest/gtest.h>

namespace sinter::arch {
namespace {

weights::TensorEntry entry(std::string name, Shape shape = {6, 2}) {
  return {.name = std::move(name),
          .dtype = DType::kF32,
          .shape = std::move(shape),
          .file = 0,
          .begin = 0,
          .bytes = 0};
}

NameIndex index_of(const std::vector<weights::TensorEntry>& entries) {
  std::vector<NamedTensor> names;
  for (const auto& tensor : entries) names.push_back({tensor.name, &tensor});
  return NameIndex(std::move(names));
}

TEST(KeyMap, CarriesNumbersAndTheRestOver) {
  const KeyRule rules[] = {{"a.{}.b.{}.", "x.{}.y.{}."}};
  const std::vector entries{entry("a.12.b.3.c.weight"), entry("a.x.b.3.c")};
  const WeightMap weights = apply_rules(rules, index_of(entries));
  ASSERT_EQ(weights.all().size(), 1U);
  EXPECT_EQ(weights.all().begin()->first, "x.12.y.3.c.weight");
}

TEST(KeyMap, CountsFromTheOtherEnd) {
  const KeyRule rules[] = {{"up.{}.", "up_blocks.{~}."}};
  const std::vector entries{entry("up.0.w"), entry("up.3.w")};
  const WeightMap weights = apply_rules(rules, index_of(entries), 4);
  EXPECT_EQ(weights.find("up_blocks.3.w")->tensor->name, "up.0.w");
  EXPECT_EQ(weights.find("up_blocks.0.w")->tensor->name, "up.3.w");
}

TEST(KeyMap, TakesTheFirstRuleThatFits) {
  const KeyRule rules[] = {{"a.b.", "first."}, {"a.", "second."}};
  const std::vector entries{entry("a.b.w"), entry("a.c.w")};
  const WeightMap weights = apply_rules(rules, index_of(entries));
  EXPECT_NE(weights.find("first.w"), nullptr);
  EXPECT_NE(weights.find("second.c.w"), nullptr);
}

TEST(KeyMap, TakesWholeNamesWholly) {
  const KeyRule rules[] = {{.from = "projection", .to = "p.weight", .transposed = true}};
  const std::vector entries{entry("projection", {4, 8}), entry("projection2")};
  const WeightMap weights = apply_rules(rules, index_of(entries));
  ASSERT_EQ(weights.all().size(), 1U);
  EXPECT_EQ(logical_shape(*weights.find("p.weight")), (Shape{8, 4}));
}

TEST(KeyMap, SplitsThirds) {
  const KeyRule rules[] = {{.from = "in_proj_", .to = "?_proj.", .thirds = "qkv"}};
  const std::vector entries{entry("in_proj_weight", {6, 2})};
  const WeightMap weights = apply_rules(rules, index_of(entries));
  const WeightSource* v = weights.find("v_proj.weight");
  ASSERT_NE(v, nullptr);
  EXPECT_EQ(v->first_row, 4);
  EXPECT_EQ(v->rows, 2);
  EXPECT_EQ(logical_shape(*v), (Shape{2, 2}));
}

TEST(KeyMap, LeavesOutThirdsThatDoNotDivideAndNamesTakenTwice) {
  const KeyRule rules[] = {
      {.from = "in_proj_", .to = "?_proj.", .thirds = "qkv"}, {"a.", "same."}, {"b.", "same."}};
  const std::vector entries{entry("in_proj_weight", {7, 2}), entry("a.w"), entry("b.w")};
  const WeightMap weights = apply_rules(rules, index_of(entries));
  ASSERT_EQ(weights.all().size(), 1U);
  EXPECT_EQ(weights.find("same.w")->tensor->name, "a.w");
}

TEST(KeyMap, KnowsNoNumbersOfManyDigits) {
  const KeyRule rules[] = {{"a.{}.", "b.{}."}};
  const std::vector entries{entry("a.99999999999999999999.w")};
  EXPECT_TRUE(apply_rules(rules, index_of(entries)).all().empty());
}

}  // namespace
}  // namespace sinter::arch
