#include "sinter/base/error.h"
#include "tests/check/checked.h"

namespace sinter::check {
namespace {

ModelBuilder of_opset(std::int64_t version) {
  ModelBuilder builder = one_node("Sigmoid");
  builder.set_opset("", version);
  return builder;
}

TEST(Targets, SayWhichOpsetsTheyRead) {
  EXPECT_EQ(checked(of_opset(18), Target::kTrt86),
            Lines{"error opset : the file is opset 18, and TensorRT 8.6 reads 7 to 17"});
  EXPECT_EQ(
      checked(of_opset(22), Target::kTrt10),
      Lines{"note opset : the file is opset 22; TensorRT 10.15 reads up to opset 24, TensorRT "
            "10.0 and 10.1 only up to 20"});
  EXPECT_EQ(checked(of_opset(5), Target::kOpenVino),
            Lines{"error opset : the file is opset 5, and OpenVINO 2026.4 reads 6 to 27"});
  EXPECT_EQ(checked(of_opset(22), Target::kTrt11), Lines());
}

TEST(Targets, SayWhichOperatorsTheyLack) {
  const ModelBuilder builder = one_node("NonZero");
  EXPECT_EQ(of_rule(checked(builder, Target::kTrtRtx), "operator-refused"),
            Lines{"error operator-refused block/NonZero: TensorRT-RTX 1.7 has no NonZero"});
  EXPECT_EQ(of_rule(checked(builder, Target::kTrt11), "operator-refused"), Lines());
  EXPECT_EQ(of_rule(checked(one_node("Det"), Target::kOpenVino), "operator-refused"),
            Lines{"error operator-refused block/Det: OpenVINO 2026.4 has no Det"});
}

TEST(Targets, SayWhichProviderHasAContribOperator) {
  ModelBuilder builder = one_node("GroupNorm", "com.microsoft");
  builder.set_opset("com.microsoft", 1);
  EXPECT_EQ(checked(builder, Target::kOrtCpu),
            Lines{"error contrib-operator block/GroupNorm: GroupNorm is an operator of "
                  "com.microsoft, and ONNX Runtime 1.32 on the CPU has none; only ONNX Runtime's "
                  "CUDA provider has it"});
  EXPECT_EQ(checked(builder, Target::kOrtCuda), Lines());
  EXPECT_EQ(checked(builder, Target::kTrtRtx).size(), 1u);
}

TEST(Targets, SayThatOtherDomainsNeedAPlugin) {
  ModelBuilder builder = one_node("Flash", "my.ops");
  builder.set_opset("my.ops", 1);
  const Report report =
      check(graph::outline_of(std::as_bytes(std::span<const char>(builder.bytes())), "m.onnx"), {});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].why,
            "Flash is of the domain 'my.ops', which TensorRT-RTX 1.7 does not have");
  EXPECT_EQ(report.findings[0].todo, "load the plugin that has it, or export without it");
  EXPECT_EQ(report.findings[0].places[0], (Place{"block/Flash", "Flash", "block"}));
}

TEST(Targets, SayWhichTypesTheyLack) {
  ModelBuilder builder;
  builder.input("x", DType::kBF16, {4}).output("y", DType::kBF16, {4});
  builder.node("Sigmoid", "s", {"x"}, "y");
  EXPECT_EQ(checked(builder, Target::kTrt86),
            Lines{"error type-refused s: TensorRT 8.6 has no bfloat16"});
  EXPECT_EQ(checked(builder, Target::kTrt10), Lines());
  EXPECT_EQ(checked(builder, Target::kOrtCpu),
            Lines{"error type-refused s: ONNX Runtime 1.32 on the CPU has no bfloat16"});
}

TEST(Targets, TakeStoredTypesBehindACast) {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {4}).output("y", DType::kF32, {4});
  builder.initializer("w", Tensor(DType::kBF16, {4}));
  builder.node("Cast", "cast", {"w"}).attribute("to", 1);
  builder.node("Add", "sum", {"x", "cast"}, "y");
  EXPECT_EQ(of_rule(checked(builder, Target::kOrtCpu), "type-refused"), Lines());
}

TEST(Targets, TellRandomNumbersInside) {
  EXPECT_EQ(checked(one_node("RandomNormalLike"), Target::kTrt10),
            Lines{"warning random-operator block/RandomNormalLike: RandomNormalLike makes other "
                  "numbers in every run, and TensorRT ignores its seed"});
}

TEST(Targets, UnknownNamesAreRefused) {
  try {
    target_named("trt9");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(),
              "there is no target 'trt9'; there are trt8.6, trt10, trt11, trt-rtx, ort-cpu, "
              "ort-cuda, openvino");
  }
}

}  // namespace
}  // namespace sinter::check
