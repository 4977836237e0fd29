// The really trained model with its LoRA: text encoder, final latents and the picture against
// diffusers.
#include <gtest/gtest.h>

#include "shapes_model.h"
#include "sinter/adapters/adaptation.h"
#include "sinter/pipeline/folder.h"
#include "sinter/pipeline/pipeline.h"
#include "sinter/verify/reference_case.h"

namespace sinter {
namespace {
using shapes::kData;
namespace fs = std::filesystem;

/// The model with its LoRA, merged once, with nothing rounded.
const fs::path& adapted() {
  static const fs::path folder = [] {
    const auto adaptation =
        std::make_shared<adapters::Adaptation>(std::vector<adapters::AdapterUse>{
            {.path = shapes::kModels / "shapes-lora.safetensors", .strength = {}}});
    convert::ConvertOptions options = shapes::request();
    options.computed.push_back(
        [adaptation](const weights::Checkpoint& checkpoint, const arch::Model& model) {
          return adaptation->merge(checkpoint, model, {.widen = true});
        });
    fs::path out = shapes::convert_model("shapes-adapted", options);
    EXPECT_EQ(adaptation->used().front().report.applied, 172u);
    return out;
  }();
  return folder;
}

class ShapesLora : public testing::TestWithParam<runtime::Engine> {};

TEST_P(ShapesLora, TextEncoderIsThatOfDiffusers) {
  const verify::ReferenceCase reference = verify::ReferenceCase::load(kData / "lora.safetensors");
  const pipeline::PipelineFolder folder = pipeline::read_pipeline_folder(adapted());
  const auto session = pipeline::engine_sessions(GetParam())(folder.text_encoders.front().model);
  const runtime::TensorMap found = session->run({{"input_ids", reference.inputs.at("input_ids")}});
  shapes::expect_near(reference.outputs.at("last_hidden_state"), found.at("last_hidden_state"),
                      1e-4, "the text encoder's output");
}

TEST_P(ShapesLora, PictureIsThatOfDiffusers) {
  pipeline::Pipeline pipeline =
      pipeline::Pipeline::open(adapted(), {.sessions = pipeline::engine_sessions(GetParam())});
  const pipeline::GenerateResult result =
      pipeline.generate(shapes::drawing("a cyan ring on a black background", "ddim", 21));
  const verify::ReferenceCase reference = verify::ReferenceCase::load(kData / "lora.safetensors");
  shapes::expect_near(reference.outputs.at("ddim_latents"), result.latents, 1e-3, "the latents");
  shapes::expect_same_picture(kData / "lora_ddim.png", result.pictures.front().image);
}

INSTANTIATE_TEST_SUITE_P(All, ShapesLora,
                         testing::Values(runtime::Engine::kOpenVino, runtime::Engine::kOnnxRuntime),
                         [](const auto& parameters) {
                           return std::string(engine_name(parameters.param));
                         });

}  // namespace
}  // namespace sinter
