#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/convert/convert.h"
#include "sinter/convert/io_profile.h"
#include "sinter/runtime/session.h"
#include "tests/convert/stand_in.h"

namespace sinter::convert {
namespace {
namespace fs = std::filesystem;

std::vector<std::string> names(const std::vector<graph::ValueDeclaration>& values) {
  std::vector<std::string> result;
  for (const graph::ValueDeclaration& value : values) result.push_back(value.name);
  return result;
}

class InterfaceTest : public testing::Test {
 protected:
  fs::path convert_with(const std::string& manifest, const std::string& io, bool controlnet = false,
                        std::optional<StaticSize> size = {}) {
    const fs::path out = folder_.path() / io;
    ConvertOptions options;
    options.io = io;
    options.controlnet_inputs = controlnet;
    options.size = size;
    convert(stand_in(folder_.path(), manifest), out, options);
    return out;
  }
  static graph::OnnxModel model(const fs::path& out, const std::string& component) {
    return graph::OnnxModel::load(out / component / "model.onnx");
  }

  TemporaryFolder folder_{std::string("interface-") +
                          testing::UnitTest::GetInstance()->current_test_info()->name()};
};

using Names = std::vector<std::string>;

TEST_F(InterfaceTest, OptimumIsTheDefault) {
  const fs::path out = convert_with("tiny/sdxl-base", "optimum");
  EXPECT_EQ(names(model(out, "unet").inputs()),
            (Names{"sample", "timestep", "encoder_hidden_states", "text_embeds", "time_ids"}));
  EXPECT_EQ(names(model(out, "unet").outputs()), Names{"out_sample"});
  EXPECT_EQ(names(model(out, "text_encoder_2").outputs()),
            (Names{"last_hidden_state", "text_embeds", "hidden_states.0", "hidden_states.1",
                   "hidden_states.2", "hidden_states.3"}));
  EXPECT_EQ(names(model(out, "vae_decoder").inputs()), Names{"latent_sample"});
  EXPECT_EQ(names(model(out, "vae_encoder").outputs()), Names{"latent_parameters"});
}

TEST_F(InterfaceTest, ComfyTakesTheVectorReady) {
  const fs::path out = convert_with("tiny/sdxl-base", "comfy");
  EXPECT_EQ(names(model(out, "unet").inputs()), (Names{"x", "timesteps", "context", "y"}));
  EXPECT_EQ(names(model(out, "unet").outputs()), Names{"h"});
}

TEST_F(InterfaceTest, LdmNamesTheContext) {
  const fs::path out = convert_with("tiny/sd1", "ldm");
  EXPECT_EQ(names(model(out, "unet").inputs()), (Names{"sample", "timestep", "context"}));
  EXPECT_EQ(names(model(out, "unet").outputs()), Names{"out_sample"});
}

TEST_F(InterfaceTest, DemoDiffusionHasOneTimestepInt32IdsAndOneLatent) {
  const fs::path out = convert_with("tiny/sdxl-base", "demodiffusion");
  const auto inputs = model(out, "unet").inputs();
  EXPECT_EQ(inputs[1].shape, std::vector<std::int64_t>{1});
  EXPECT_EQ(names(model(out, "unet").outputs()), Names{"latent"});
  EXPECT_EQ(model(out, "text_encoder").inputs()[0].dtype, DType::kI32);
  EXPECT_EQ(names(model(out, "text_encoder_2").outputs()),
            (Names{"text_embeddings", "hidden_states"}));
  EXPECT_EQ(model(out, "vae_encoder").outputs()[0].shape[1], 4);
}

TEST_F(InterfaceTest, EveryInputAndOutputIsFloat32OrIds) {
  const fs::path out = convert_with("tiny/sd2", "optimum");
  for (const std::string component : {"text_encoder", "unet", "vae_decoder", "vae_encoder"}) {
    const graph::OnnxModel onnx = model(out, component);
    for (const auto& value : onnx.outputs())
      EXPECT_EQ(value.dtype, DType::kF32) << component << " " << value.name;
    for (const auto& value : onnx.inputs())
      EXPECT_EQ(value.dtype, value.name == "input_ids" ? DType::kI64 : DType::kF32)
          << component << " " << value.name;
  }
}

TEST_F(InterfaceTest, EveryInnerValueIsTyped) {
  const fs::path out = convert_with("tiny/sd1", "optimum");
  const graph::OnnxModel unet = model(out, "unet");
  std::size_t made = 0;
  for (const graph::NodeSummary& node : unet.nodes()) made += node.outputs.size();
  EXPECT_EQ(unet.values().size() + unet.outputs().size(), made);
}

TEST_F(InterfaceTest, ResidualInputsHaveTheirSkipsShapes) {
  const fs::path out = convert_with("tiny/sd1", "optimum", true);
  const auto inputs = model(out, "unet").inputs();
  ASSERT_EQ(inputs.size(), 3u + 13u) << "twelve skips and the middle";
  EXPECT_EQ(inputs[3].name, "down_block_additional_residual_0");
  EXPECT_EQ(inputs[3].symbols[2], "height");
  EXPECT_EQ(inputs[14].symbols[2], "height/8");
  EXPECT_EQ(inputs[15].name, "mid_block_additional_residual");
}

TEST_F(InterfaceTest, AStaticSizeLeavesNothingDynamic) {
  const fs::path out =
      convert_with("tiny/sd1", "optimum", false, StaticSize{.batch = 2, .height = 64, .width = 96});
  EXPECT_EQ(model(out, "unet").inputs()[0].shape, (std::vector<std::int64_t>{2, 4, 8, 12}));
  EXPECT_EQ(model(out, "vae_encoder").inputs()[0].shape, (std::vector<std::int64_t>{2, 3, 64, 96}));
  for (const auto& value : model(out, "unet").values()) {
    for (const std::int64_t extent : value.shape) EXPECT_GE(extent, 0) << value.name;
  }
  for (const graph::NodeSummary& node : model(out, "unet").nodes())
    EXPECT_NE(node.op, "Shape") << node.name;
}

TEST_F(InterfaceTest, AStaticSizeThatIsNoMultipleOfEightIsRefused) {
  EXPECT_THROW(
      convert_with("tiny/sd1", "optimum", false, StaticSize{.batch = 1, .height = 68, .width = 64}),
      Error);
}

TEST_F(InterfaceTest, OneDynamicGraphRunsEverySizeInStepsOfEightPixels) {
  const fs::path out = convert_with("tiny/sd1", "optimum");
  for (const runtime::Engine engine : {runtime::Engine::kOpenVino, runtime::Engine::kOnnxRuntime}) {
    const graph::OnnxModel onnx = model(out, "unet");
    const auto session = runtime::open_session(engine, onnx);
    // 64 to 1024 pixels are 8 to 128 cells (small products keep the attention small); odd numbers
    // are rounded up on the way down and must come back.
    for (const auto& [h, w] :
         {std::pair{8, 8}, {9, 8}, {10, 11}, {13, 17}, {15, 23}, {128, 9}, {9, 96}}) {
      runtime::TensorMap inputs;
      inputs["sample"] = Tensor(DType::kF32, {1, 4, h, w});
      inputs["timestep"] = Tensor(DType::kF32, {1});
      inputs["encoder_hidden_states"] = Tensor(DType::kF32, {1, 154, 64});
      EXPECT_EQ(session->run(inputs).at("out_sample").shape(), (Shape{1, 4, h, w}))
          << runtime::engine_name(engine);
    }
  }
}

TEST_F(InterfaceTest, AnUnknownProfileNamesThoseThereAre) {
  try {
    io_profile("optimun");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(
        error.message(),
        "there is no I/O profile 'optimun'; there are optimum, ldm, demodiffusion, comfy, a1111");
  }
}

}  // namespace
}  // namespace sinter::convert
