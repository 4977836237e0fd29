#include "sinter/runtime/session.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <numeric>

#include "sinter/base/error.h"
#include "sinter/base/half.h"
#include "tests/runtime/model_builder.h"

namespace sinter::runtime {
namespace {

namespace fs = std::filesystem;
using graph::OnnxModel;

Tensor floats(Shape shape, std::vector<float> values) {
  return Tensor(std::move(shape), std::span<const float>(values));
}

std::vector<float> values_of(const Tensor& tensor) {
  const Tensor wide = to_dtype(tensor, DType::kF32);
  return {wide.floats().begin(), wide.floats().end()};
}

OnnxModel model_of(const ModelBuilder& builder, const fs::path& path = "model.onnx") {
  const std::string bytes = builder.bytes();
  return OnnxModel::parse(std::as_bytes(std::span(bytes)), path);
}

// y = x w, x: [batch,2].
ModelBuilder product(DType dtype) {
  ModelBuilder builder;
  builder.input("x", dtype, {"batch", 2})
      .output("y", dtype, {"batch", 2})
      .initializer("w", to_dtype(floats({2, 2}, {1, 2, 3, 4}), dtype))
      .node("MatMul", "proj/MatMul", {"x", "w"}, "y");
  return builder;
}

class SessionOf : public testing::TestWithParam<Engine> {};

TEST_P(SessionOf, RunsDynamicBatches) {
  const OnnxModel model = model_of(product(DType::kF32));
  const auto session = open_session(GetParam(), model);
  EXPECT_EQ(session->inputs()[0].name, "x");
  EXPECT_EQ(session->outputs()[0].name, "y");
  for (const std::int64_t batch : {1, 3, 2}) {
    std::vector<float> x(static_cast<std::size_t>(2 * batch));
    std::iota(x.begin(), x.end(), 0.0f);
    const TensorMap out = session->run({{"x", floats({batch, 2}, x)}});
    ASSERT_EQ(out.size(), 1u);
    const Tensor& y = out.at("y");
    ASSERT_EQ(y.shape(), (Shape{batch, 2}));
    EXPECT_FLOAT_EQ(y.floats()[0], 3.0f);
    EXPECT_FLOAT_EQ(y.floats()[1], 4.0f);
  }
}

TEST_P(SessionOf, ConvertsInputsToTheDeclaredType) {
  const OnnxModel model = model_of(product(DType::kF16));
  const auto session = open_session(GetParam(), model);
  const Tensor x = floats({1, 2}, {0.5f, -1.0f});
  const TensorMap out = session->run({{"x", x}});
  EXPECT_EQ(out.at("y").dtype(), DType::kF16);
  EXPECT_EQ(values_of(out.at("y")), (std::vector<float>{-2.5f, -3.0f}));
}

TEST_P(SessionOf, TakesAndGivesIntegers) {
  ModelBuilder builder;
  builder.input("ids", DType::kI64, {"batch", 3})
      .output("rows", DType::kF32, {"batch", 3, 2})
      .output("same", DType::kI64, {"batch", 3})
      .initializer("table", floats({4, 2}, {0, 1, 10, 11, 20, 21, 30, 31}))
      .node("Gather", "embed/Gather", {"table", "ids"}, "rows")
      .node("Add", "embed/Add", {"ids", "ids"}, "same");
  const OnnxModel model = model_of(builder);
  const auto session = open_session(GetParam(), model);
  Tensor ids(DType::kI64, {1, 3});
  ids.ints()[0] = 3;
  ids.ints()[2] = 1;
  const TensorMap out = session->run({{"ids", ids}});
  EXPECT_EQ(values_of(out.at("rows")), (std::vector<float>{30, 31, 0, 1, 10, 11}));
  EXPECT_EQ(out.at("same").dtype(), DType::kI64);
  EXPECT_EQ(out.at("same").ints()[0], 6);
}

TEST_P(SessionOf, ToleratesInputsThatNoNodeReads) {
  const OnnxModel model = model_of(product(DType::kF32).input("unused", DType::kF32, {"n"}));
  const auto session = open_session(GetParam(), model);
  EXPECT_EQ(session->inputs().size(), 2u);
  const TensorMap out =
      session->run({{"x", floats({1, 2}, {1, 0})}, {"unused", Tensor(DType::kF32, {3})}});
  EXPECT_EQ(values_of(out.at("y")), (std::vector<float>{1, 2}));
}

TEST_P(SessionOf, TakesScalars) {
  ModelBuilder builder;
  builder.input("t", DType::kF32, {})
      .input("x", DType::kF32, {"n"})
      .output("y", DType::kF32, {"n"})
      .node("Mul", "scale/Mul", {"x", "t"}, "y");
  const OnnxModel model = model_of(builder);
  const auto session = open_session(GetParam(), model);
  const TensorMap out =
      session->run({{"t", floats({}, {2.0f})}, {"x", floats({2}, {1.5f, -3.0f})}});
  EXPECT_EQ(values_of(out.at("y")), (std::vector<float>{3.0f, -6.0f}));
}

// A float16 matrix at an odd offset of a file above the model's folder, behind a Cast and a
// Transpose: what linked weights look like.
TEST_P(SessionOf, ReadsLinkedWeightsInPlace) {
  const TestFolder folder("session_linked");
  constexpr std::int64_t kWidth = 64;
  std::string rows;
  for (std::int64_t i = 0; i < kWidth * kWidth; ++i) {
    // Row r holds r in the column before its diagonal: transposed or shifted reads differ.
    const std::int64_t row = i / kWidth;
    const bool hit = i % kWidth == (row + kWidth - 1) % kWidth;
    const std::uint16_t bits = float_to_half(hit ? static_cast<float>(row) : 0.0f);
    rows += std::string{static_cast<char>(bits & 0xff), static_cast<char>(bits >> 8)};
  }
  const SafetensorsText file(rows);
  ASSERT_EQ(file.header_bytes % 2, 1u);
  const fs::path source = folder / "weights.safetensors";
  write_file(source, file.whole);
  ModelBuilder builder;
  builder.input("x", DType::kF32, {"batch", kWidth})
      .output("y", DType::kF32, {"batch", kWidth})
      .external("w", DType::kF16, {kWidth, kWidth}, "../../weights.safetensors", file.header_bytes,
                kWidth * kWidth * 2)
      .link(record_of(source, "../../weights.safetensors", file))
      .node("Cast", "proj/Cast", {"w"})
      .attribute("to", 1)
      .node("Transpose", "proj/Transpose", {"proj/Cast"})
      .node("MatMul", "proj/MatMul", {"x", "proj/Transpose"}, "y");
  const OnnxModel model = OnnxModel::load(builder.save(folder / "out/unet/model.onnx"));
  ASSERT_EQ(model.weights().size(), 1u);
  const auto session = open_session(GetParam(), model);
  std::vector<float> x(kWidth);
  std::iota(x.begin(), x.end(), 1.0f);
  const TensorMap out = session->run({{"x", floats({1, kWidth}, x)}});
  const std::vector<float> y = values_of(out.at("y"));
  for (std::size_t row = 1; row < kWidth; ++row) {
    EXPECT_EQ(y[row], static_cast<float>(row) * x[row - 1]) << row;
  }
}

TEST_P(SessionOf, ShowsExposedValues) {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {2})
      .output("y", DType::kF32, {2})
      .value("a/Neg", DType::kF32, {2})
      .node("Neg", "a/Neg", {"x"})
      .node("Exp", "b/Exp", {"a/Neg"}, "y");
  OnnxModel model = model_of(builder);
  model.expose(std::vector<std::string>{"a/Neg"});
  const auto session = open_session(GetParam(), model);
  const TensorMap out = session->run({{"x", floats({2}, {0.0f, 1.0f})}});
  EXPECT_EQ(values_of(out.at("a/Neg")), (std::vector<float>{0.0f, -1.0f}));
  EXPECT_EQ(out.at("y").floats()[0], 1.0f);
}

// 1 + 2^-10 squared needs 20 bits of fraction; bfloat16 has 7 and float16 10.
TEST_P(SessionOf, ComputesFloat32GraphsInFloat32) {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {1, 64})
      .input("w", DType::kF32, {64, 64})
      .output("y", DType::kF32, {1, 64})
      .node("MatMul", "proj/MatMul", {"x", "w"}, "y");
  const OnnxModel model = model_of(builder);
  const auto session = open_session(GetParam(), model);
  const float fine = 1.0f + 1.0f / 1024.0f;
  const TensorMap out = session->run({{"x", floats({1, 64}, std::vector<float>(64, fine))},
                                      {"w", floats({64, 64}, std::vector<float>(4096, fine))}});
  EXPECT_NEAR(out.at("y").floats()[5], 64.0f * fine * fine, 1e-5f * 64.0f);
  EXPECT_EQ(session->info().arithmetic, "float32");
}

// Products beyond 65504 that cancel again: an engine that keeps at least float16's accuracy gives
// the sum or infinity, never a wrong finite number; small sums must keep float16's 11 bits.
TEST_P(SessionOf, ComputesFloat16GraphsAtLeastThatFinely) {
  ModelBuilder builder;
  builder.input("x", DType::kF16, {1, 64})
      .output("y", DType::kF16, {1, 1})
      .initializer("w", to_dtype(floats({64, 1}, std::vector<float>(64, 1.0f)), DType::kF16))
      .node("MatMul", "proj/MatMul", {"x", "w"}, "y");
  const OnnxModel model = model_of(builder);
  const auto session = open_session(GetParam(), model);
  std::vector<float> x(64, 0.0f);
  for (std::size_t i = 0; i < 32; ++i) x[i] = 1.0f + 1.0f / 512.0f;
  const TensorMap out = session->run({{"x", floats({1, 64}, x)}});
  EXPECT_NEAR(values_of(out.at("y"))[0], 32.0f + 32.0f / 512.0f, 32.0f / 1024.0f);
}

TEST_P(SessionOf, NamesAMissingInput) {
  const OnnxModel model = model_of(product(DType::kF32));
  const auto session = open_session(GetParam(), model);
  try {
    session->run({{"sample", floats({1, 2}, {1, 2})}});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kMissingTensor);
    EXPECT_EQ(error.message(), "input 'x' is missing; the graph takes x; given: sample");
  }
}

TEST_P(SessionOf, NamesAWrongShape) {
  const OnnxModel model = model_of(product(DType::kF32));
  const auto session = open_session(GetParam(), model);
  for (const Shape& shape : {Shape{2}, Shape{1, 3}}) {
    try {
      session->run({{"x", Tensor(DType::kF32, shape)}});
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kShapeMismatch);
      EXPECT_EQ(error.message(),
                fmt::format("input 'x' is {}, the graph expects [batch,2]", to_string(shape)));
    }
  }
}

// What the engines themselves make of these: one repeats the row, the other names a node inside.
TEST_P(SessionOf, NamesExtentsThatDisagree) {
  ModelBuilder builder;
  builder.input("sample", DType::kF32, {"batch", 4, "side", "side"})
      .input("context", DType::kF32, {"batch", "sequence", 2})
      .output("y", DType::kF32, {"batch", 4, "side", "side"})
      .node("Neg", "Neg", {"sample"}, "y");
  const OnnxModel model = model_of(builder);
  const auto session = open_session(GetParam(), model);
  const auto message = [&](const Shape& sample, const Shape& context) {
    try {
      session->run(
          {{"sample", Tensor(DType::kF32, sample)}, {"context", Tensor(DType::kF32, context)}});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kShapeMismatch);
      return error.message();
    }
    return std::string("no error");
  };
  EXPECT_EQ(message({2, 4, 8, 8}, {2, 7, 2}), "no error");
  EXPECT_EQ(message({2, 4, 8, 8}, {1, 7, 2}),
            "input 'context' is [1,7,2] where the graph expects [batch,sequence,2]: 'batch' is 1 "
            "here and 2 in input 'sample', which is [2,4,8,8]");
  EXPECT_EQ(message({2, 4, 8, 9}, {2, 7, 2}),
            "input 'sample' is [2,4,8,9] where the graph expects [batch,4,side,side]: 'side' is 9 "
            "here and 8 in input 'sample', which is [2,4,8,9]");
  EXPECT_EQ(message({0, 4, 8, 8}, {0, 7, 2}),
            "input 'sample' is [0,4,8,8], which holds nothing; the graph expects "
            "[batch,4,side,side]");
}

TEST_P(SessionOf, RoundsNoFractionsToIntegers) {
  ModelBuilder builder;
  builder.input("ids", DType::kI64, {"n"})
      .output("y", DType::kI64, {"n"})
      .node("Add", "Add", {"ids", "ids"}, "y");
  const OnnxModel model = model_of(builder);
  const auto session = open_session(GetParam(), model);
  EXPECT_EQ(session->run({{"ids", floats({2}, {3, -7})}}).at("y").ints()[1], -14);
  for (const auto& [value, word] : {std::pair{0.5f, "0.5"}, std::pair{std::nanf(""), "nan"}}) {
    try {
      session->run({{"ids", floats({2}, {3, value})}});
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kDTypeMismatch);
      EXPECT_EQ(error.message(),
                fmt::format("input 'ids' is float32 and holds {}, the graph expects whole numbers "
                            "(int64)",
                            word));
    }
  }
}

TEST_P(SessionOf, NamesTheModuleWhereCompilationFails) {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {2, 3})
      .output("y", DType::kF32, {2, 3})
      .initializer("w", floats({2, 2}, {1, 2, 3, 4}))
      .node("MatMul", "down.0.proj/MatMul", {"x", "w"}, "y");
  const OnnxModel model = model_of(builder);
  try {
    open_session(GetParam(), model);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kRuntime);
    ASSERT_FALSE(error.context().empty());
    EXPECT_EQ(error.context()[0], "compiling node 'down.0.proj/MatMul' of module 'down.0.proj'")
        << error.what();
  }
}

TEST_P(SessionOf, NamesTheModuleWhereRunningFails) {
  ModelBuilder builder;
  builder.input("a", DType::kF32, {"n"})
      .input("b", DType::kF32, {"m"})
      .output("y", DType::kF32, {"k"})
      .node("Add", "mid.block/Add", {"a", "b"}, "y");
  const OnnxModel model = model_of(builder);
  const auto session = open_session(GetParam(), model);
  try {
    session->run({{"a", Tensor(DType::kF32, {2})}, {"b", Tensor(DType::kF32, {3})}});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kRuntime);
    EXPECT_NE(std::string(error.what()).find("mid.block"), std::string::npos) << error.what();
  }
}

TEST_P(SessionOf, SaysWhichEngineItIs) {
  const OnnxModel model = model_of(product(DType::kF32));
  const EngineInfo info = open_session(GetParam(), model, {.threads = 1})->info();
  EXPECT_FALSE(info.name.empty());
  EXPECT_TRUE(std::isdigit(static_cast<unsigned char>(info.version.at(0)))) << info.version;
  EXPECT_TRUE(info.device.starts_with("CPU"));
}

INSTANTIATE_TEST_SUITE_P(Engines, SessionOf,
                         testing::Values(Engine::kOpenVino, Engine::kOnnxRuntime),
                         [](const auto& engine) { return std::string(engine_name(engine.param)); });

TEST(Engines, HaveNamesBothWays) {
  EXPECT_EQ(engine_from_name("openvino"), Engine::kOpenVino);
  EXPECT_EQ(engine_from_name(engine_name(Engine::kOnnxRuntime)), Engine::kOnnxRuntime);
  EXPECT_EQ(engine_from_name("torch"), std::nullopt);
}

TEST(OnnxRuntimeSession, NamesALibraryThatCannotBeLoaded) {
  const OnnxModel model = model_of(product(DType::kF32));
  try {
    open_session(Engine::kOnnxRuntime, model,
                 {.onnxruntime_library = "/nowhere/libonnxruntime.so"});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kRuntime);
    EXPECT_NE(error.message().find("/nowhere/libonnxruntime.so"), std::string::npos);
  }
}

TEST(OnnxRuntimeSession, SaysThatItHasNoBFloat16) {
  const OnnxModel model = model_of(product(DType::kBF16), "out/unet/model.onnx");
  try {
    open_session(Engine::kOnnxRuntime, model);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_STREQ(error.what(),
                 "out/unet/model.onnx computes in bfloat16, and ONNX Runtime's CPU provider has no "
                 "kernels for it\n"
                 "hint: use --engine openvino, or convert with --precision fp16 or fp32");
  }
}

TEST(OpenVinoSession, FastestUsesBFloat16WhereTheProcessorHasIt) {
  const OnnxModel model = model_of(product(DType::kF32));
  const auto session = open_session(Engine::kOpenVino, model, {.arithmetic = Arithmetic::kFastest});
  const std::string arithmetic = session->info().arithmetic;
  EXPECT_TRUE(arithmetic == "bfloat16" || arithmetic == "float32") << arithmetic;
}

// A timestep's sinusoid before a matrix that asks for the engine's own arithmetic: 981 rounded to
// bfloat16 is 980, and the cosine of one is not that of the other.
TEST(OpenVinoSession, KeepsSinusoidsWhereItComputesCoarsely) {
  ModelBuilder builder;
  builder.input("timestep", DType::kF32, {"t", 1})
      .input("x", DType::kF32, {"t", 64})
      .output("y", DType::kF32, {"t", 64})
      .initializer("frequencies", floats({1, 64}, std::vector<float>(64, 1.0f)));
  std::vector<float> identity(64 * 64, 0.0f);
  for (std::size_t i = 0; i < 64; ++i) identity[65 * i] = 1.0f;
  builder.initializer("w", floats({64, 64}, identity))
      .node("Mul", "time/Mul", {"timestep", "frequencies"})
      .node("Cos", "time/Cos", {"time/Mul"})
      .node("MatMul", "proj/MatMul", {"time/Cos", "w"})
      .node("Add", "sum/Add", {"proj/MatMul", "x"}, "y");
  const OnnxModel model = model_of(builder);
  const auto session =
      open_session(Engine::kOpenVino, model, {.arithmetic = Arithmetic::kBFloat16});
  for (const float timestep : {981.0f, 501.0f}) {
    const TensorMap out = session->run(
        {{"timestep", floats({1, 1}, {timestep})}, {"x", Tensor(DType::kF32, {1, 64})}});
    // One rounding to bfloat16 of a value below 1.
    EXPECT_NEAR(out.at("y").floats()[7], std::cos(timestep), 1.0f / 256.0f) << timestep;
  }
}

TEST_P(SessionOf, CompilesForFixedShapes) {
  const OnnxModel model = model_of(product(DType::kF32));
  const auto session = open_session(GetParam(), model, {.input_shapes = {{"x", {3, 2}}}});
  EXPECT_EQ(session->run({{"x", Tensor(DType::kF32, {3, 2})}}).at("y").shape(), (Shape{3, 2}));
}

}  // namespace
}  // namespace sinter::runtime
