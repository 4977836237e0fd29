#include <cstring>
#include <limits>

#include "tests/check/checked.h"

namespace sinter::check {
namespace {

Tensor integers(const std::vector<std::int64_t>& values) {
  Tensor tensor(DType::kI64, {static_cast<std::int64_t>(values.size())});
  std::ranges::copy(values, tensor.ints().begin());
  return tensor;
}

ModelBuilder constant_of(const std::string& attribute_name,
                         onnx::AttributeProto::AttributeType type) {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {4}).output("y", DType::kF32, {4});
  builder.node("Constant", "block/Constant", {}, "c").node("Add", "sum", {"x", "c"}, "y");
  if (attribute_name.empty()) return builder;
  onnx::AttributeProto& attribute = *builder.graph().mutable_node(0)->add_attribute();
  attribute.set_name(attribute_name);
  attribute.set_type(type);
  return builder;
}

TEST(Constants, TellWhatTensorRtCannotRead) {
  EXPECT_EQ(
      of_rule(checked(constant_of("value_string", onnx::AttributeProto::STRING), Target::kTrtRtx),
              "constant-form"),
      Lines{"error constant-form block/Constant: its value is a value_string, which "
            "TensorRT-RTX 1.7 does not read"});
  EXPECT_EQ(
      of_rule(checked(constant_of("value_string", onnx::AttributeProto::STRING), Target::kOrtCpu),
              "constant-form"),
      Lines());
  EXPECT_EQ(
      of_rule(checked(constant_of("value_float", onnx::AttributeProto::FLOAT), Target::kTrtRtx),
              "constant-form"),
      Lines());
}

TEST(Constants, TellAConstantWithoutValue) {
  EXPECT_EQ(checked(constant_of("", onnx::AttributeProto::FLOAT), Target::kOrtCpu),
            Lines{"error constant-form block/Constant: it has no value"});
}

TEST(Constants, TellAConstantWithTwo) {
  ModelBuilder builder = constant_of("value_float", onnx::AttributeProto::FLOAT);
  onnx::AttributeProto& second = *builder.graph().mutable_node(0)->add_attribute();
  second.set_name("value_int");
  second.set_type(onnx::AttributeProto::INT);
  EXPECT_EQ(
      checked(builder, Target::kOrtCpu),
      Lines{"error constant-form block/Constant: it has 2 values, value_float and value_int"});
}

ModelBuilder transposed_weight() {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {1, 4}).output("y", DType::kF32, {1, 4});
  builder.initializer("w", Tensor(DType::kF32, {4, 4}));
  builder.node("Transpose", "linear/Transpose", {"w"}, "wt");
  builder.node("MatMul", "linear/MatMul", {"x", "wt"}, "y");
  return builder;
}

TEST(Constants, TellWhatIsComputedInEveryRun) {
  EXPECT_EQ(checked(transposed_weight(), Target::kTrtRtx),
            Lines{"warning unfolded-constant linear/Transpose: it computes the same in every run, "
                  "from weights and constants alone"});
}

TEST(Constants, LeaveQuantizedWeightsToTheEngine) {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {1, 4}).output("y", DType::kF32, {1, 4});
  builder.initializer("q", Tensor(DType::kI8, {4, 4})).initializer("s", Tensor(DType::kF32, {}));
  builder.node("DequantizeLinear", "dq", {"q", "s"}, "w");
  builder.node("MatMul", "mm", {"x", "w"}, "y");
  EXPECT_EQ(checked(builder, Target::kTrtRtx), Lines());
}

TEST(Constants, HaveToBeKnownWhereTheTargetAsks) {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {1, 4}).input("axes", DType::kI64, {1});
  builder.output("y", DType::kF32, {1, 1});
  builder.node("ReduceSum", "sum", {"x", "axes"}, "y");
  EXPECT_EQ(checked(builder, Target::kTrt10),
            Lines{"error needs-constant sum: the axes of ReduceSum are computed from the graph's "
                  "inputs; TensorRT 10 has to know them while it reads the graph"});
  EXPECT_EQ(checked(builder, Target::kOrtCpu), Lines());
}

TEST(Constants, TellDoubleWeights) {
  ModelBuilder builder;
  builder.input("x", DType::kF64, {4}).output("y", DType::kF64, {4});
  builder.initializer("w", Tensor(DType::kF64, {4}));
  builder.node("Add", "sum", {"x", "w"}, "y");
  EXPECT_EQ(checked(builder, Target::kTrtRtx),
            Lines{"warning double-weight w: float64, which TensorRT-RTX 1.7 turns into float32"});
}

TEST(Constants, TellIntegersThatAreClamped) {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {4}).output("y", DType::kF32, {3});
  builder.initializer("starts", integers({1}))
      .initializer("ends", integers({std::numeric_limits<std::int64_t>::max()}));
  builder.node("Slice", "cut", {"x", "starts", "ends"}, "y");
  EXPECT_EQ(
      checked(builder, Target::kTrt86),
      Lines{"note int64-range ends: an int64 that int32 does not hold; TensorRT 8.6 clamps it "
            "and says so"});
  EXPECT_EQ(checked(builder, Target::kTrt10), Lines());
}

TEST(Constants, TellMasksThatOverflowInHalf) {
  ModelBuilder builder;
  builder.input("x", DType::kF16, {4}).output("y", DType::kF16, {4});
  Tensor mask(DType::kF32, {});
  mask.floats()[0] = -3.4e38F;
  builder.initializer("mask", mask);
  builder.node("Cast", "cast", {"mask"}).attribute("to", 10);
  builder.node("Add", "sum", {"x", "cast"}, "y");
  EXPECT_EQ(
      of_rule(checked(builder, Target::kOrtCuda), "half-overflow"),
      Lines{"warning half-overflow cast: a constant beyond 65504 is cast to float16, where it "
            "is infinite; a mask of infinities makes NaN in a Softmax"});
}

}  // namespace
}  // namespace sinter::check
