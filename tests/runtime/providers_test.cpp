#include "sinter/runtime/providers.h"

#include <gtest/gtest.h>

#include "sinter/base/error.h"
#include "tests/runtime/model_builder.h"

namespace sinter::runtime {
namespace {

// unet/model.onnx with two dynamic inputs and a fixed one, computing in `type`.
graph::OnnxModel unet(DType type = DType::kF16) {
  ModelBuilder builder;
  builder.input("sample", type, {"batch", 4, "height", "width"})
      .input("timestep", type, {"timesteps"})
      .input("scale", type, {1})
      .output("y", type, {"batch", 4, "height", "width"});
  builder.node("Mul", "a/Mul", {"sample", "scale"}, "y");
  const std::string bytes = builder.bytes();
  return graph::OnnxModel::parse(std::as_bytes(std::span(bytes)), "out/unet/model.onnx");
}

const std::vector<ShapeRange> kRanges{
    {"sample", {1, 4, 32, 32}, {2, 4, 64, 64}, {8, 4, 96, 96}},
    {"timestep", {1}, {1}, {8}},
};

std::string text(Engine engine, const SessionOptions& options, DType type = DType::kF16) {
  std::string result;
  for (const auto& [key, value] : provider_options(*provider_of(engine), unet(type), options))
    result += key + "=" + value + "\n";
  return result;
}

void expect_usage(const std::vector<ShapeRange>& ranges, const std::string& message) {
  try {
    text(Engine::kTensorRt, {.shape_ranges = {{"unet", ranges}}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_EQ(error.message(), message);
  }
}

TEST(Providers, TensorRtIsToldTypesRangesAndCaches) {
  EXPECT_EQ(text(Engine::kTensorRt,
                 {.engine_cache = "cache/unet-1234", .shape_ranges = {{"unet", kRanges}}}),
            "device_id=0\n"
            "trt_fp16_enable=1\n"
            "trt_layer_norm_fp32_fallback=1\n"
            "trt_profile_min_shapes=sample:1x4x32x32,timestep:1\n"
            "trt_profile_opt_shapes=sample:2x4x64x64,timestep:1\n"
            "trt_profile_max_shapes=sample:8x4x96x96,timestep:8\n"
            "trt_engine_cache_enable=1\n"
            "trt_engine_cache_path=cache/unet-1234\n"
            "trt_timing_cache_enable=1\n"
            "trt_timing_cache_path=cache\n");
  EXPECT_EQ(text(Engine::kTensorRt, {}, DType::kF32),
            "device_id=0\ntrt_layer_norm_fp32_fallback=1\n");
}

TEST(Providers, TensorRtRtxHasNamesOfItsOwn) {
  EXPECT_EQ(text(Engine::kTensorRtRtx,
                 {.engine_cache = "cache/unet-1234", .shape_ranges = {{"unet", kRanges}}}),
            "nv_profile_min_shapes=sample:1x4x32x32,timestep:1\n"
            "nv_profile_opt_shapes=sample:2x4x64x64,timestep:1\n"
            "nv_profile_max_shapes=sample:8x4x96x96,timestep:8\n"
            "nv_runtime_cache_path=cache/unet-1234\n");
}

TEST(Providers, CudaKeepsFloat32ExactUnlessItMayBeFast) {
  EXPECT_EQ(text(Engine::kCuda, {}), "device_id=0\nuse_tf32=0\n");
  EXPECT_EQ(text(Engine::kCuda, {.arithmetic = Arithmetic::kFastest}), "device_id=0\nuse_tf32=1\n");
}

TEST(Providers, RangesOfAnotherGraphAreNotTaken) {
  EXPECT_EQ(text(Engine::kTensorRtRtx, {.shape_ranges = {{"vae_decoder", kRanges}}}), "");
}

TEST(Providers, RangesAreForAllDynamicInputsOrForNone) {
  expect_usage({kRanges[0]},
               "out/unet/model.onnx has no range for timestep; TensorRT takes ranges for all "
               "dynamic inputs or for none");
  expect_usage({kRanges[0], kRanges[1], {"context", {1}, {1}, {1}}},
               "there is a range for 'context', and out/unet/model.onnx takes sample, timestep, "
               "scale");
  expect_usage({{"sample", {2, 4, 64, 64}, {1, 4, 64, 64}, {2, 4, 64, 64}}, kRanges[1]},
               "the range of input 'sample' is [2,4,64,64], [1,4,64,64], [2,4,64,64], expected min "
               "<= opt <= max with the graph's rank and fixed extents, [-1,4,-1,-1]");
}

TEST(Providers, AreKnownByTheNamesThatPluginsGiveThem) {
  const auto is = [](Engine engine, const char* name) {
    return is_provider(*provider_of(engine), name);
  };
  EXPECT_TRUE(is(Engine::kTensorRtRtx, "NvTensorRTRTXExecutionProvider"));
  EXPECT_FALSE(is(Engine::kTensorRt, "NvTensorRTRTXExecutionProvider"));
  EXPECT_TRUE(is(Engine::kTensorRt, "TensorrtExecutionProvider"));
  EXPECT_TRUE(is(Engine::kCuda, "CudaPluginExecutionProvider"));
  EXPECT_FALSE(is(Engine::kCuda, "OpenVINOExecutionProvider"));
  EXPECT_EQ(provider_of(Engine::kOpenVino), nullptr);
  EXPECT_EQ(provider_of(Engine::kOnnxRuntime), nullptr);
}

TEST(Providers, ACacheIsOfOneGraphAndOneEngine) {
  const SessionOptions options{.engine_cache = "cache"};
  const auto folder = cache_folder(unet(), options, "TensorRT 10.9");
  EXPECT_EQ(folder.parent_path(), "cache");
  EXPECT_TRUE(folder.filename().string().starts_with("unet-"));
  EXPECT_EQ(folder, cache_folder(unet(), options, "TensorRT 10.9"));
  EXPECT_NE(folder, cache_folder(unet(DType::kF32), options, "TensorRT 10.9"));
  EXPECT_NE(folder, cache_folder(unet(), options, "TensorRT 10.13"));
}

}  // namespace
}  // namespace sinter::runtime
