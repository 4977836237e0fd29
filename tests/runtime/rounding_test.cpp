#include <gtest/gtest.h>

#include <cmath>

#include "sinter/base/error.h"
#include "sinter/runtime/session.h"
#include "tests/runtime/model_builder.h"

namespace sinter::runtime {
namespace {

Tensor floats(const std::vector<float>& values) {
  return {{static_cast<std::int64_t>(values.size())}, values};
}

// y = x * 2 * 0.5 in a short type.
ModelBuilder doubled_and_halved(DType type) {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {"n"}).output("y", DType::kF32, {"n"});
  builder.initializer("two", to_dtype(floats({2}), type));
  builder.initializer("half", to_dtype(floats({0.5f}), type));
  builder.node("Cast", "in", {"x"}).attribute("to", dtype_info(type).onnx);
  builder.node("Mul", "a", {"in", "two"}).value("a", type, {"n"});
  builder.node("Mul", "b", {"a", "half"}).value("b", type, {"n"});
  builder.node("Cast", "out", {"b"}, "y").attribute("to", 1);
  return builder.value("in", type, {"n"});
}

std::vector<float> run(const ModelBuilder& builder, Arithmetic arithmetic,
                       const std::vector<float>& x) {
  const std::string bytes = builder.bytes();
  const auto model = graph::OnnxModel::parse(std::as_bytes(std::span(bytes)), "model.onnx");
  const auto session = open_session(Engine::kOnnxRuntime, model, {.arithmetic = arithmetic});
  const TensorMap results = session->run({{"x", floats(x)}});
  const auto values = results.at("y").floats();
  return {values.begin(), values.end()};
}

TEST(Rounding, ACpuHidesThatFloat16OverflowsAndRoundedShowsIt) {
  const ModelBuilder model = doubled_and_halved(DType::kF16);
  // The engine computes in float32 and leaves the casts out: not even 0.1 is rounded.
  EXPECT_EQ(run(model, Arithmetic::kGraph, {40000, 0.1f}), (std::vector<float>{40000, 0.1f}));
  const std::vector<float> rounded = run(model, Arithmetic::kRounded, {40000, 0.1f, 1e-9f});
  EXPECT_TRUE(std::isinf(rounded[0])) << rounded[0];
  EXPECT_EQ(rounded[1], 0.0999755859375f);  // the float16 next to 0.1
  EXPECT_EQ(rounded[2], 0);
}

TEST(Rounding, Bfloat16IsRoundedWithoutAKernelForIt) {
  EXPECT_EQ(run(doubled_and_halved(DType::kBF16), Arithmetic::kRounded, {40000, 0.1f}),
            (std::vector<float>{39936, 0.10009765625f}));
}

TEST(Rounding, AValueWithoutATypeIsNotGuessed) {
  ModelBuilder model = doubled_and_halved(DType::kF16);
  model.graph().mutable_value_info()->Clear();
  try {
    run(model, Arithmetic::kRounded, {1});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_EQ(error.message(),
              "model.onnx declares no type for 'a', so that it is not known how to round it");
    EXPECT_EQ(error.hint(), "ONNX's shape inference adds the types of inner values to a file");
  }
}

TEST(Rounding, OpenVinoSaysThatItDoesNot) {
  const std::string bytes = doubled_and_halved(DType::kF16).bytes();
  const auto model = graph::OnnxModel::parse(std::as_bytes(std::span(bytes)), "model.onnx");
  try {
    open_session(Engine::kOpenVino, model, {.arithmetic = Arithmetic::kRounded});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "OpenVINO does not round every value to its type");
    EXPECT_EQ(error.hint(), "--engine onnxruntime does");
  }
}

}  // namespace
}  // namespace sinter::runtime
