#include "sinter/precision/judge.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/runtime/model_builder.h"

namespace sinter::precision {
namespace {

using convert::ExactModule;
using convert::ExactReason;

graph::OnnxModel parsed(const ModelBuilder& builder) {
  const std::string bytes = builder.bytes();
  return graph::OnnxModel::parse(std::as_bytes(std::span(bytes)), "model.onnx");
}

// A chain of float16 nodes with one operand, each named as given, behind a cast of the input.
ModelBuilder chain(const std::vector<std::pair<std::string, std::string>>& ops_and_names) {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {"n"}).output("y", DType::kF32, {"n"});
  builder.node("Cast", "input.x/Cast", {"x"}).attribute("to", 10);
  builder.value("input.x/Cast", DType::kF16, {"n"});
  std::string last = "input.x/Cast";
  for (const auto& [op, name] : ops_and_names) {
    builder.node(op, name, {last}).value(name, DType::kF16, {"n"});
    last = name;
  }
  builder.node("Cast", "output.y/Cast", {last}, "y").attribute("to", 1);
  return builder;
}

std::string words(const std::vector<ExactModule>& modules) {
  std::string text;
  for (const ExactModule& module : modules)
    text += fmt::format("{} {} {} {}; ", module.module, convert::reason_name(module.reason),
                        module.value, module.largest);
  return text;
}

TEST(Judge, AnOverflowIsOfTheModuleThatMakesItAndOfThoseThatReadIt) {
  const auto model = parsed(chain({{"Relu", "a.conv1/Relu"},
                                   {"Relu", "a.conv2/Relu"},
                                   {"Reshape", "a.norm/Reshape"},
                                   {"Erf", "a.norm/Erf"},
                                   {"Relu", "b/Relu"}}));
  EXPECT_EQ(words(judge(model, {{"x", 1},
                                {"a.conv1/Relu", 30000},
                                {"a.conv2/Relu", 90000},
                                {"a.norm/Reshape", 90000},
                                {"a.norm/Erf", 4},
                                {"b/Relu", 4}})),
            "a.conv2 overflow a.conv2/Relu 90000; a.norm reads a.conv2/Relu 90000; ");
  const LargestValue largest = largest_half(model, {{"a.conv1/Relu", 3}, {"b/Relu", 7}});
  EXPECT_EQ(largest.value, "b/Relu");
  EXPECT_EQ(largest.largest, 7);
}

TEST(Judge, HalfOfTheRangeIsLeftToOtherPrompts) {
  const auto model = parsed(chain({{"Relu", "a/Relu"}, {"Erf", "b/Erf"}}));
  EXPECT_EQ(words(judge(model, {{"a/Relu", 32752}})), "");
  EXPECT_EQ(words(judge(model, {{"a/Relu", 32753}})),
            "a overflow a/Relu 32753; b reads a/Relu 32753; ");
}

TEST(Judge, NanOverflows) {
  const auto model = parsed(chain({{"Relu", "a/Relu"}}));
  EXPECT_EQ(judge(model, {{"a/Relu", std::nan("")}}).size(), 1u);
}

TEST(Judge, ValuesBelowTheNormalRangeLoseTheirBitsButZerosDoNot) {
  const auto model = parsed(chain({{"Relu", "a/Relu"}, {"Erf", "b/Erf"}, {"Erf", "c/Erf"}}));
  EXPECT_EQ(words(judge(model, {{"a/Relu", 1e-5}, {"b/Erf", 0}, {"c/Erf", 0}})),
            "a underflow a/Relu 1e-05; b reads a/Relu 1e-05; ");
}

TEST(Judge, ValuesThatAreFloat32AnywayAreNoReason) {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {"n"}).output("y", DType::kF32, {"n"});
  builder.node("Relu", "a/Relu", {"x"}).value("a/Relu", DType::kF32, {"n"});
  builder.node("Erf", "b/Erf", {"a/Relu"}, "y");
  EXPECT_EQ(words(judge(parsed(builder), {{"a/Relu", 1e6}, {"y", 1}})), "");
}

TEST(Judge, ScoresCountWithoutTheirMask) {
  ModelBuilder builder;
  builder.input("x", DType::kF16, {"n"}).output("y", DType::kF16, {"n"});
  builder.initializer("mask", to_dtype(Tensor({1}, std::vector<float>{-10000}), DType::kF16));
  builder.node("MatMul", "attn/MatMul", {"x", "x"}).value("attn/MatMul", DType::kF16, {"n"});
  builder.node("Add", "attn/Add", {"attn/MatMul", "mask"}).value("attn/Add", DType::kF16, {"n"});
  builder.node("Softmax", "attn/Softmax", {"attn/Add"}, "y");
  const auto model = parsed(builder);
  EXPECT_EQ(words(judge(model, {{"attn/MatMul", 500}, {"attn/Add", 10500}, {"y", 1}})), "");
  EXPECT_EQ(words(judge(model, {{"attn/MatMul", 600}, {"attn/Add", 10600}, {"y", 1}})),
            "attn scores attn/Add 600; ");
}

TEST(Judge, AWeightOutsideTheRangeIsItsModules) {
  ModelBuilder builder;
  builder.input("x", DType::kF16, {"n"}).output("y", DType::kF16, {"n"});
  builder.initializer("file.w", Tensor({1}, std::vector<float>{1e5f}));
  builder.node("Cast", "a.to_q.weight/Cast", {"file.w"}).attribute("to", 10);
  builder.value("a.to_q.weight/Cast", DType::kF16, {1});
  builder.node("Mul", "a.to_q/Mul", {"x", "a.to_q.weight/Cast"}, "y");
  EXPECT_EQ(words(judge(parsed(builder), {{"file.w", 1e5}, {"y", 10}})),
            "a.to_q weights a.to_q.weight/Cast 100000; ");
}

}  // namespace
}  // namespace sinter::precision
