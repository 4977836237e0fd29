#include "sinter/fold/fold_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "tests/runtime/model_builder.h"

namespace sinter::fold {
namespace {

graph::Outline outline(const ModelBuilder& builder) {
  const std::string bytes = builder.bytes();
  return graph::outline_of(std::as_bytes(std::span(bytes)), "m.onnx");
}

Tensor integers(const std::vector<std::int64_t>& values) {
  Tensor tensor(DType::kI64, {static_cast<std::int64_t>(values.size())});
  std::ranges::copy(values, tensor.ints().begin());
  return tensor;
}

ModelBuilder with_x() {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {"b", 4}).output("y", DType::kF32, {"b", 4});
  builder.initializer("w", Tensor(DType::kF32, {4, 4}));
  return builder;
}

std::string reason(const ModelBuilder& builder) {
  const FoldPlan plan = plan_folds(outline(builder));
  EXPECT_TRUE(plan.clusters.empty());
  return plan.left.empty() ? "" : plan.left.front().why;
}

TEST(FoldPlan, TakesWholeClusters) {
  ModelBuilder builder = with_x();
  builder.node("Transpose", "t", {"w"}).node("Neg", "n", {"t"}).node("Abs", "a", {"w"});
  builder.node("MatMul", "mm", {"x", "n"}).node("MatMul", "mm2", {"mm", "a"}, "y");

  const FoldPlan plan = plan_folds(outline(builder));

  ASSERT_EQ(plan.clusters.size(), 2u);
  EXPECT_EQ(plan.clusters[0].nodes, (std::vector<std::size_t>{0, 1}));
  ASSERT_EQ(plan.clusters[0].results.size(), 1u);
  EXPECT_EQ(plan.clusters[0].results[0].name, "n");
  EXPECT_EQ(plan.clusters[1].nodes, (std::vector<std::size_t>{2}));
}

TEST(FoldPlan, LeavesChanceAndQuantizedWeights) {
  ModelBuilder chance = with_x();
  chance.node("RandomNormalLike", "r", {"w"}).node("MatMul", "mm", {"x", "r"}, "y");
  EXPECT_EQ(reason(chance), "it makes other numbers in every run");

  ModelBuilder quantized = with_x();
  quantized.initializer("q", Tensor(DType::kI8, {4, 4})).initializer("s", Tensor(DType::kF32, {}));
  quantized.node("DequantizeLinear", "d", {"q", "s"}).node("MatMul", "mm", {"x", "d"}, "y");
  EXPECT_EQ(reason(quantized), "engines want to see how weights are quantized");
}

TEST(FoldPlan, LeavesOutputsOfTheGraph) {
  ModelBuilder builder = with_x();
  builder.node("Neg", "n", {"w"}, "y");
  EXPECT_EQ(reason(builder), "it makes an output of the graph");
}

TEST(FoldPlan, LeavesWhatWouldGrowTheFile) {
  ModelBuilder builder = with_x();
  builder.initializer("shape", integers({1024, 1024, 1024}));
  builder.node("ConstantOfShape", "big", {"shape"}).node("ReduceSum", "r", {"big"});
  builder.node("Add", "a", {"x", "r"}, "y");
  EXPECT_EQ(reason(builder), "its result of 4295 MB is larger than what it is computed from");
}

TEST(FoldPlan, LeavesWeightsThatACallerCanReplace) {
  ModelBuilder builder = with_x();
  builder.input("w", DType::kF32, {4, 4});
  builder.node("Neg", "n", {"w"}).node("MatMul", "mm", {"x", "n"}, "y");
  EXPECT_EQ(reason(builder), "");
}

TEST(FoldPlan, KnowsShapesOfFixedInputsAlone) {
  ModelBuilder builder = with_x();
  builder.input("fixed", DType::kF32, {2, 3});
  builder.node("Shape", "sx", {"x"}).node("Shape", "sf", {"fixed"}).node("Add", "a", {"sx", "sf"});
  const std::vector<KnownSizes> known = known_sizes(outline(builder));
  ASSERT_EQ(known.size(), 1u);
  EXPECT_EQ(known[0].value, "sf");
  EXPECT_EQ(known[0].numbers, (std::vector<std::int64_t>{2, 3}));
}

}  // namespace
}  // namespace sinter::fold
