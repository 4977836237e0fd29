// The really trained model with its ControlNet: the first step, final latents and the picture
// against diffusers.
#include <gtest/gtest.h>

#include "shapes_model.h"
#include "sinter/base/png_file.h"
#include "sinter/pipeline/conditioning.h"
#include "sinter/pipeline/control/controlnet.h"
#include "sinter/pipeline/folder.h"
#include "sinter/pipeline/pipeline.h"
#include "sinter/verify/reference_case.h"

namespace sinter {
namespace {
using shapes::expect_near;
using shapes::kData;
namespace fs = std::filesystem;

constexpr const char* kControlPrompt = "an orange star on a white background";
constexpr int kControlSeed = 11;

/// The model with its ControlNet, converted once.
const fs::path& controlled() {
  static const fs::path folder = [] {
    convert::ConvertOptions options = shapes::request();
    options.controlnets = {shapes::kModels / "shapes-controlnet.safetensors"};
    return shapes::convert_model("shapes-controlled", options);
  }();
  return folder;
}

pipeline::ControlOptions outline() {
  return {.picture = read_png(kData / "control_hint.png"), .canny = {}};
}

class ShapesControlNet : public testing::TestWithParam<runtime::Engine> {};

TEST_P(ShapesControlNet, FirstStepIsThatOfDiffusers) {
  const pipeline::SessionFactory open = pipeline::engine_sessions(GetParam());
  const pipeline::PipelineFolder folder = pipeline::read_pipeline_folder(controlled());
  const verify::ReferenceCase reference =
      verify::ReferenceCase::load(kData / "control.safetensors");
  const auto text = open(folder.text_encoders.front().model);
  const std::string prompt = kControlPrompt;
  runtime::TensorMap inputs{{"sample", reference.inputs.at("sample")},
                            {"timestep", Tensor({1}, std::vector<float>{951.0f})}};
  inputs.emplace(
      "encoder_hidden_states",
      pipeline::encode_texts(folder.text_encoders.front(), *text, {&prompt, 1}, 1, false).states);
  ASSERT_EQ(folder.controlnets.size(), 1u);
  const auto session = open(folder.controlnets.front().model);
  pipeline::ControlNet controlnet("controlnet", *session, outline(),
                                  pipeline::control_map(outline(), 128, 128));
  runtime::TensorMap residuals;
  controlnet.add_residuals(inputs, 1, residuals);
  EXPECT_EQ(residuals.size(), 13u);
  expect_near(reference.outputs.at("down0"), residuals.at("down_block_additional_residual_0"), 1e-4,
              "the first residual");
  expect_near(reference.outputs.at("mid"), residuals.at("mid_block_additional_residual"), 1e-4,
              "the middle's residual");
  inputs.merge(residuals);
  const auto unet = open(folder.unet);
  expect_near(reference.outputs.at("unet_cond"), unet->run(inputs).at("out_sample"), 1e-4,
              "the UNet's output");
}

TEST_P(ShapesControlNet, PictureIsThatOfDiffusers) {
  pipeline::Pipeline pipeline =
      pipeline::Pipeline::open(controlled(), {.sessions = pipeline::engine_sessions(GetParam())});
  pipeline::GenerateOptions options = shapes::drawing(kControlPrompt, "ddim", kControlSeed);
  options.controls = {outline()};
  const pipeline::GenerateResult result = pipeline.generate(options);
  const verify::ReferenceCase reference =
      verify::ReferenceCase::load(kData / "control.safetensors");
  expect_near(reference.outputs.at("ddim_latents"), result.latents, 1e-3, "the latents");
  shapes::expect_same_picture(kData / "control_ddim.png", result.pictures.front().image);
}

INSTANTIATE_TEST_SUITE_P(All, ShapesControlNet,
                         testing::Values(runtime::Engine::kOpenVino, runtime::Engine::kOnnxRuntime),
                         [](const auto& parameters) {
                           return std::string(engine_name(parameters.param));
                         });

}  // namespace
}  // namespace sinter
