#include "sinter/verify/bisect.h"

#include <gtest/gtest.h>

#include "tests/verify/case_builder.h"

namespace sinter::verify {
namespace {

using graph::OnnxModel;
using runtime::Engine;

OnnxModel model_of(const ModelBuilder& builder) {
  const std::string bytes = builder.bytes();
  return OnnxModel::parse(std::as_bytes(std::span(bytes)), "model.onnx");
}

std::string module(int i) { return "block." + std::to_string(i) + ".conv"; }

// A residual stream: x = x + 0.01 * (x * w_i), for every module two nodes "block.i.conv/Mul" and
// "block.i/Add". The weight of one module may differ.
ModelBuilder residual_stream(int blocks, int changed, float change) {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {"n"}).output("y", DType::kF32, {"n"});
  std::string x = "x";
  for (int i = 0; i < blocks; ++i) {
    const std::string weight = module(i) + ".weight";
    builder.initializer(weight, floats({1}, {0.01f + (i == changed ? change : 0.0f)}));
    const std::string product = module(i) + "/Mul";
    builder.node("Mul", product, {x, weight}).value(product, DType::kF32, {"n"});
    const bool last = i + 1 == blocks;
    const std::string sum = last ? "y" : fmt::format("block.{}/Add", i);
    builder.node("Add", fmt::format("block.{}/Add", i), {x, product}, sum);
    if (!last) builder.value(sum, DType::kF32, {"n"});
    x = sum;
  }
  return builder;
}

runtime::TensorMap input() { return {{"x", floats({3}, {1, -2, 0.5f})}}; }

TEST(Bisect, FindsTheChangedModuleAmongHundreds) {
  OnnxModel good = model_of(residual_stream(300, -1, 0));
  for (const int changed : {0, 137, 299}) {
    OnnxModel bad = model_of(residual_stream(300, changed, 0.05f));
    unsigned runs = 0;
    const auto finding =
        bisect({good, Engine::kOnnxRuntime}, {bad, Engine::kOnnxRuntime}, input(),
               tolerance_for(DType::kF32), [&](std::size_t looked, std::size_t values) {
                 EXPECT_LE(looked, 64u * runs);
                 EXPECT_EQ(values, 600u);
                 ++runs;
               });
    ASSERT_TRUE(finding);
    EXPECT_EQ(finding->fault.module, module(changed));
    EXPECT_EQ(finding->fault.node, module(changed) + "/Mul");
    EXPECT_EQ(finding->fault.op, "Mul");
    EXPECT_NEAR(finding->fault.comparison->max_relative, 5, 1e-3);  // 0.06 instead of 0.01
    EXPECT_LE(runs, 6u);
    EXPECT_EQ(bad.outputs().size(), 1u);
  }
}

TEST(Bisect, ShowsTheModulesAroundTheFault) {
  OnnxModel good = model_of(residual_stream(9, -1, 0));
  OnnxModel bad = model_of(residual_stream(9, 4, 0.05f));
  const auto finding = bisect({good, Engine::kOnnxRuntime}, {bad, Engine::kOnnxRuntime}, input(),
                              tolerance_for(DType::kF32));
  ASSERT_TRUE(finding);
  const auto modules = [](const std::vector<BisectValue>& values) {
    std::vector<std::string> names;
    for (const BisectValue& value : values) names.push_back(value.module);
    return names;
  };
  EXPECT_EQ(modules(finding->before), (std::vector<std::string>{"block.3.conv", "block.3"}));
  EXPECT_EQ(modules(finding->behind), (std::vector<std::string>{"block.4", "block.5.conv"}));
  for (const BisectValue& value : finding->before) EXPECT_FALSE(value.faulty) << value.value;
  for (const BisectValue& value : finding->behind) EXPECT_TRUE(value.faulty) << value.value;
  EXPECT_EQ(finding->before[0].comparison->max_abs, 0);

  // Where there is nothing before.
  OnnxModel first = model_of(residual_stream(9, 0, 0.05f));
  const auto at_start = bisect({good, Engine::kOnnxRuntime}, {first, Engine::kOnnxRuntime}, input(),
                               tolerance_for(DType::kF32));
  ASSERT_TRUE(at_start);
  EXPECT_EQ(modules(at_start->before), std::vector<std::string>{});
}

TEST(Bisect, FindsAFaultInASideBranch) {
  // The key of an attention: computed early, used late, behind a good query.
  const auto attention = [](float key) {
    ModelBuilder builder;
    builder.input("x", DType::kF32, {"n"}).output("y", DType::kF32, {"n"});
    builder.initializer("k.weight", floats({1}, {key})).node("Mul", "to_k/Mul", {"x", "k.weight"});
    builder.value("to_k/Mul", DType::kF32, {"n"});
    std::string q = "x";
    for (int i = 0; i < 100; ++i) {
      const std::string next = fmt::format("to_q.{}/Neg", i);
      builder.node("Neg", next, {q}).value(next, DType::kF32, {"n"});
      q = next;
    }
    builder.node("Mul", "scores/Mul", {q, "to_k/Mul"}, "y");
    return builder;
  };
  OnnxModel good = model_of(attention(1));
  OnnxModel bad = model_of(attention(1.5f));
  const auto finding = bisect({good, Engine::kOnnxRuntime}, {bad, Engine::kOnnxRuntime}, input(),
                              tolerance_for(DType::kF32));
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->fault.module, "to_k");
}

TEST(Bisect, FindsNothingBetweenEnginesThatAgree) {
  OnnxModel model = model_of(residual_stream(20, -1, 0));
  EXPECT_FALSE(bisect({model, Engine::kOnnxRuntime}, {model, Engine::kOpenVino}, input(),
                      tolerance_for(DType::kF32)));
}

TEST(Bisect, MatchesGraphsOfTwoPrecisionsByName) {
  // 0.1 in float16 is 2.4e-4 off, more than float32 may be; the input is exact in both.
  const auto scaled = [](DType dtype) {
    ModelBuilder builder;
    builder.input("x", DType::kF32, {"n"}).output("y", DType::kF32, {"n"});
    builder.node("Cast", "in/Cast", {"x"}).attribute("to", dtype_info(dtype).onnx);
    builder.initializer("tenth", to_dtype(floats({1}, {0.1f}), dtype));
    builder.node("Neg", "first/Neg", {"in/Cast"});
    builder.node("Mul", "scale/Mul", {"first/Neg", "tenth"});
    builder.node("Neg", "last/Neg", {"scale/Mul"});
    builder.node("Cast", "out/Cast", {"last/Neg"}, "y").attribute("to", 1);
    for (const char* name : {"in/Cast", "first/Neg", "scale/Mul", "last/Neg"}) {
      builder.value(name, dtype, {"n"});
    }
    return builder;
  };
  OnnxModel fine = model_of(scaled(DType::kF32));
  OnnxModel coarse = model_of(scaled(DType::kF16));
  const auto finding = bisect({fine, Engine::kOnnxRuntime}, {coarse, Engine::kOpenVino}, input(),
                              tolerance_for(DType::kF32));
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->fault.module, "scale");
  EXPECT_NEAR(finding->fault.comparison->max_relative, 2.4e-4, 1e-5);
  EXPECT_FALSE(bisect({fine, Engine::kOnnxRuntime}, {coarse, Engine::kOpenVino}, input(),
                      tolerance_for(DType::kF16)));
}

class NonFiniteSearch : public testing::TestWithParam<Engine> {};

// log(-2) in the middle of a long chain.
TEST_P(NonFiniteSearch, FindsWhereNanStarts) {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {"n"}).output("y", DType::kF32, {"n"});
  std::string x = "x";
  for (int i = 0; i < 90; ++i) {
    const std::string op = i == 40 ? "Log" : "Sigmoid";
    const std::string next = fmt::format("block.{}/{}", i, op);
    if (i == 40) {
      builder.initializer("minus", floats({1}, {-2.0f}));
      builder.node("Add", "block.40/Add", {x, "minus"}).value("block.40/Add", DType::kF32, {"n"});
      x = "block.40/Add";
    }
    builder.node(op, next, {x}, i == 89 ? "y" : next);
    if (i != 89) builder.value(next, DType::kF32, {"n"});
    x = next;
  }
  OnnxModel model = model_of(builder);
  const auto finding = find_non_finite({model, GetParam()}, input());
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->fault.module, "block.40");
  EXPECT_EQ(finding->fault.node, "block.40/Log");
  EXPECT_EQ(finding->fault.non_finite.nan, 3);
}

TEST_P(NonFiniteSearch, TakesAMaskForNoFault) {
  constexpr float kHidden = -std::numeric_limits<float>::infinity();
  ModelBuilder builder;
  builder.input("x", DType::kF32, {3}).output("y", DType::kF32, {3});
  builder.initializer("mask", floats({3}, {0, 0, kHidden}));
  builder.node("Add", "mask/Add", {"x", "mask"}).value("mask/Add", DType::kF32, {3});
  builder.node("Softmax", "attn/Softmax", {"mask/Add"}).value("attn/Softmax", DType::kF32, {3});
  builder.initializer("three", floats({1}, {-3}));
  builder.node("Add", "late/Add", {"attn/Softmax", "three"}).value("late/Add", DType::kF32, {3});
  builder.node("Sqrt", "late/Sqrt", {"late/Add"}, "y");
  OnnxModel model = model_of(builder);
  const auto finding = find_non_finite({model, GetParam()}, input());
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->fault.node, "late/Sqrt");
}

// 300 * 300 is beyond float16, and the root of it is not.
TEST_P(NonFiniteSearch, FindsOverflowsThatOnlyAFloat16DeviceWouldHave) {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {"n"}).output("y", DType::kF32, {"n"});
  builder.node("Cast", "in/Cast", {"x"}).attribute("to", dtype_info(DType::kF16).onnx);
  builder.node("Mul", "square/Mul", {"in/Cast", "in/Cast"});
  builder.node("Sqrt", "root/Sqrt", {"square/Mul"});
  builder.node("Cast", "out/Cast", {"root/Sqrt"}, "y").attribute("to", 1);
  for (const char* name : {"in/Cast", "square/Mul", "root/Sqrt"}) {
    builder.value(name, DType::kF16, {"n"});
  }
  OnnxModel model = model_of(builder);
  const auto finding =
      find_non_finite({model, GetParam()}, {{"x", floats({2}, {300, 2})}}, NonFiniteScope::kValues);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->fault.module, "square");
  EXPECT_EQ(finding->fault.non_finite.positive_inf, 1);
  EXPECT_EQ(finding->fault.non_finite.first, (Shape{0}));
  EXPECT_FALSE(finding->fault.comparison);
}

TEST_P(NonFiniteSearch, FindsNothingWhereOutputsAreFinite) {
  OnnxModel model = model_of(residual_stream(3, -1, 0));
  EXPECT_FALSE(find_non_finite({model, GetParam()}, input()));
}

INSTANTIATE_TEST_SUITE_P(Engines, NonFiniteSearch,
                         testing::Values(Engine::kOpenVino, Engine::kOnnxRuntime),
                         [](const auto& engine) { return std::string(engine_name(engine.param)); });

}  // namespace
}  // namespace sinter::verify
