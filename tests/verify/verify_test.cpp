#include "sinter/verify/verify.h"

#include <gtest/gtest.h>

#include "sinter/base/error.h"
#include "tests/verify/case_builder.h"

namespace sinter::verify {
namespace {

namespace fs = std::filesystem;

// out_sample = sample * factor, in the given type between float32 borders.
ModelBuilder unet(float factor, DType compute = DType::kF32) {
  ModelBuilder builder;
  builder.input("sample", DType::kF32, {"batch", 4, "height", "width"})
      .input("timestep", DType::kF32, {"t"})
      .output("out_sample", DType::kF32, {"batch", 4, "height", "width"})
      .value("in/Cast", compute, {"batch", 4, "height", "width"})
      .value("scale/Mul", compute, {"batch", 4, "height", "width"})
      .initializer("factor", to_dtype(floats({1}, {factor}), compute))
      .node("Cast", "in/Cast", {"sample"})
      .attribute("to", dtype_info(compute).onnx)
      .node("Mul", "scale/Mul", {"in/Cast", "factor"})
      .node("Cast", "out/Cast", {"scale/Mul"}, "out_sample")
      .attribute("to", 1);
  return builder;
}

class VerifyCase : public testing::TestWithParam<runtime::Engine> {
 protected:
  VerifyCase() : folder_(fmt::format("verify_case_{}", static_cast<int>(GetParam()))) {
    reference_.path = "case.safetensors";
    reference_.component = "unet";
    Tensor sample = filled({2, 4, 2, 2}, 0.5f);
    sample.floats()[9] = 1.0f;
    Tensor expected = filled({2, 4, 2, 2}, 1.5f);
    expected.floats()[9] = 3.0f;
    reference_.inputs.emplace("sample", sample);
    reference_.inputs.emplace("timestep", floats({2}, {1, 2}));
    reference_.outputs.emplace("out_sample", expected);
  }

  VerifyOptions options() const { return {.engine = GetParam()}; }

  TestFolder folder_;
  ReferenceCase reference_;
};

TEST_P(VerifyCase, PassesWhereTheGraphComputesWhatTheCaseSays) {
  const fs::path model = unet(3).save(folder_ / "unet/model.onnx");
  const GraphResult result = verify_model(model, reference_, options());
  EXPECT_TRUE(result.passed());
  EXPECT_EQ(result.compute, DType::kF32);
  EXPECT_EQ(result.tolerance.max, 1e-4);
  ASSERT_EQ(result.outputs.size(), 1u);
  EXPECT_EQ(result.outputs[0].reference, "out.out_sample");
  EXPECT_EQ(result.outputs[0].comparison.scale, 3);
  EXPECT_LT(result.outputs[0].comparison.max_relative, 1e-6);
}

TEST_P(VerifyCase, FailsByMoreThanTheTolerance) {
  const fs::path model = unet(3.003f).save(folder_ / "unet/model.onnx");
  const GraphResult result = verify_model(model, reference_, options());
  EXPECT_FALSE(result.passed());
  const Comparison& comparison = result.outputs[0].comparison;
  EXPECT_EQ(comparison.worst_index, (Shape{0, 2, 0, 1}));
  EXPECT_NEAR(comparison.max_abs, 0.003, 1e-6);
  EXPECT_NEAR(comparison.max_relative, 0.001, 1e-6);
}

TEST_P(VerifyCase, HoldsFloat16GraphsToFloat16sTolerance) {
  // 0.06% off: six times float32's tolerance, within float16's.
  const fs::path model = unet(3.002f, DType::kF16).save(folder_ / "unet/model.onnx");
  const GraphResult result = verify_model(model, reference_, options());
  EXPECT_EQ(result.compute, DType::kF16);
  EXPECT_EQ(result.tolerance.max, 1e-2);
  EXPECT_TRUE(result.passed());
  EXPECT_GT(result.outputs[0].comparison.max_relative, 1e-4);
}

TEST_P(VerifyCase, JoinsTheRowsOfSingleTimestepGraphs) {
  ModelBuilder builder;
  builder.input("sample", DType::kF32, {"b", 4, "h", "w"})
      .input("timestep", DType::kF32, {})
      .output("out_sample", DType::kF32, {"b", 4, "h", "w"})
      .node("Mul", "scale/Mul", {"sample", "timestep"}, "out_sample");
  // The case's timesteps are 1 and 2.
  Tensor expected = filled({2, 4, 2, 2}, 0.5f);
  expected.floats()[9] = 1.0f;
  for (float& value : expected.floats().subspan(16)) value = 1.0f;
  reference_.outputs.insert_or_assign("out_sample", expected);
  const GraphResult result = verify_model(builder.save(folder_ / "m.onnx"), reference_, options());
  EXPECT_TRUE(result.passed()) << result.outputs[0].comparison.max_abs;
}

TEST_P(VerifyCase, FindsTheGraphsOfAComponentInAFolder) {
  unet(3).save(folder_ / "unet/model.onnx");
  unet(5).save(folder_ / "vae_decoder/model.onnx");
  const std::vector<GraphResult> results = verify_folder(folder_.path(), reference_, options());
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].model, folder_ / "unet/model.onnx");
  EXPECT_TRUE(results[0].passed());
}

TEST_P(VerifyCase, SaysWhatAFolderHasInstead) {
  unet(3).save(folder_ / "vae_decoder/model.onnx");
  try {
    verify_folder(folder_.path(), reference_, options());
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_EQ(error.message(),
              fmt::format("case.safetensors is about 'unet', and {} has vae_decoder",
                          folder_.path().string()));
  }
}

TEST_P(VerifyCase, SaysThatACaseWithoutAComponentIsOfNoFolder) {
  unet(3).save(folder_ / "unet/model.onnx");
  unet(3).save(folder_ / "vae_decoder/model.onnx");
  reference_.component.clear();
  try {
    verify_folder(folder_.path(), reference_, options());
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_EQ(error.what(),
              fmt::format("case.safetensors does not say which component it is about, and {0} has "
                          "unet, vae_decoder\n"
                          "hint: name the graph that it is of: {0}/unet/model.onnx",
                          folder_.path().string()));
  }
}

TEST_P(VerifyCase, RefusesToCompareNothing) {
  ModelBuilder builder;
  builder.input("sample", DType::kF32, {"b", 4, "h", "w"})
      .output("moments", DType::kF32, {"b", 4, "h", "w"})
      .node("Neg", "Neg", {"sample"}, "moments");
  const fs::path model = builder.save(folder_ / "m.onnx");
  try {
    verify_model(model, reference_, options());
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_EQ(
        error.what(),
        fmt::format("{} gives moments, and case.safetensors has out_sample: there is nothing to "
                    "compare\nhint: the case is about a unet",
                    model.string()));
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, VerifyCase,
                         testing::Values(runtime::Engine::kOpenVino, runtime::Engine::kOnnxRuntime),
                         [](const auto& engine) { return std::string(engine_name(engine.param)); });

TEST(VerifyVae, DividesACaseBetweenTwoGraphs) {
  const TestFolder folder("verify_vae");
  ModelBuilder()
      .input("latent_sample", DType::kF32, {"b", 4, "h", "w"})
      .output("sample", DType::kF32, {"b", 4, "h", "w"})
      .node("Neg", "Neg", {"latent_sample"}, "sample")
      .save(folder / "vae_decoder/model.onnx");
  ModelBuilder()
      .input("sample", DType::kF32, {"b", 3, "h", "w"})
      .output("latent_parameters", DType::kF32, {"b", 3, "h", "w"})
      .node("Exp", "Exp", {"sample"}, "latent_parameters")
      .save(folder / "vae_encoder/model.onnx");
  ReferenceCase reference{
      .path = "case", .component = "vae", .metadata = {}, .inputs = {}, .outputs = {}};
  reference.inputs.emplace("latent_sample", filled({1, 4, 2, 2}, 1));
  reference.inputs.emplace("pixels", filled({1, 3, 2, 2}, 0));
  reference.outputs.emplace("sample", filled({1, 4, 2, 2}, -1));
  reference.outputs.emplace("moments", filled({1, 3, 2, 2}, 1));
  reference.outputs.emplace("unknown", filled({1}, 1));
  const std::vector<GraphResult> results = verify_folder(folder.path(), reference);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_TRUE(results[0].passed());
  EXPECT_TRUE(results[1].passed());
  EXPECT_EQ(results[0].not_compared, (std::vector<std::string>{"out.unknown"}));
}

TEST(CompareEngines, AgreeOnTheSameGraph) {
  const TestFolder folder("compare_engines");
  const fs::path model = unet(3).save(folder / "unet/model.onnx");
  const GraphResult result = compare_engines(model, runtime::Engine::kOnnxRuntime, nullptr).front();
  EXPECT_TRUE(result.passed());
  ASSERT_EQ(result.outputs.size(), 1u);
  EXPECT_EQ(result.outputs[0].reference, "onnxruntime");
  EXPECT_EQ(result.outputs[0].comparison.elements, 2 * 4 * 16 * 16);
}

}  // namespace
}  // namespace sinter::verify
