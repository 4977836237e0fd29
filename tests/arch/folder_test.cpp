#include <gtest/gtest.h>

#include "sinter/arch/model.h"
#include "sinter/base/error.h"
#include "tests/arch/pipeline_folder.h"

namespace sinter::arch {
namespace {

using arch_test::kTextFile;
using arch_test::kUNetFile;
using arch_test::load_manifest;
using arch_test::Manifest;
using arch_test::PipelineFolder;

/// A text encoder as transformers keeps that of Stable Diffusion 2: 23 layers, 1024 wide.
Manifest sd2_text_encoder() {
  Manifest manifest = load_manifest("diffusers/text-encoder-clip-l");
  const std::vector<arch_test::ManifestTensor> layer = [&] {
    std::vector<arch_test::ManifestTensor> found;
    for (const auto& tensor : manifest.tensors)
      if (tensor.name.starts_with("text_model.encoder.layers.0.")) found.push_back(tensor);
    return found;
  }();
  manifest.erase("text_model.encoder.layers.");
  constexpr std::string_view kFirst = "text_model.encoder.layers.0.";
  for (int number = 0; number < 23; ++number)
    for (const auto& tensor : layer)
      manifest.add("text_model.encoder.layers." + std::to_string(number) + "." +
                       tensor.name.substr(kFirst.size()),
                   tensor.shape);
  for (auto& tensor : manifest.tensors)
    for (std::int64_t& extent : tensor.shape)
      extent = extent == 768 ? 1024 : extent == 3072 ? 4096 : extent;
  return manifest;
}

/// The UNet of Stable Diffusion 2 from that of 1: matrices for projections, a wider context.
Manifest sd2_unet() {
  Manifest manifest = load_manifest("diffusers/sd15-unet");
  for (auto& tensor : manifest.tensors) {
    if (tensor.name.find(".proj_in.weight") != std::string::npos ||
        tensor.name.find(".proj_out.weight") != std::string::npos)
      tensor.shape.resize(2);
    for (std::int64_t& extent : tensor.shape) extent = extent == 768 ? 1024 : extent;
  }
  return manifest;
}

TEST(Folder, OfStableDiffusion1IsReadWhole) {
  PipelineFolder folder;
  folder.add("unet", load_manifest("diffusers/sd15-unet"), kUNetFile);
  folder.add("vae", load_manifest("diffusers/vae-kl-f8"), kUNetFile);
  folder.add("text_encoder", load_manifest("diffusers/text-encoder-clip-l"), kTextFile);
  const weights::Checkpoint checkpoint = weights::Checkpoint::open(folder.path());
  const Model model = detect(checkpoint);
  EXPECT_EQ(model.family, "sd15");
  ASSERT_EQ(model.components.size(), 3U);
  EXPECT_EQ(model.components[0].name, "text_encoder");
  EXPECT_EQ(model.components[1].name, "unet");
  EXPECT_EQ(model.components[1].layout, "diffusers");
  EXPECT_EQ(model.components[1].prefix, "unet/");
  EXPECT_EQ(model.components[2].name, "vae");
  EXPECT_EQ(model.missing, std::vector<std::string>{});
  EXPECT_EQ(model.unexpected, std::vector<std::string>{});
  EXPECT_EQ(model.components[1].weights.find("conv_in.weight")->tensor->name,
            "unet/conv_in.weight");
}

TEST(Folder, OfStableDiffusion2UsesTheLastOfItsTwentyThreeLayers) {
  PipelineFolder folder;
  folder.add("unet", sd2_unet(), kUNetFile);
  folder.add("text_encoder", sd2_text_encoder(), kTextFile);
  folder.add("vae", load_manifest("diffusers/vae-kl-f8"), kUNetFile);
  folder.write("scheduler/scheduler_config.json", R"({"prediction_type": "v_prediction"})");
  folder.write("text_encoder/config.json", R"({"hidden_act": "gelu", "num_attention_heads": 16})");
  folder.write("unet/config.json", R"({"attention_head_dim": [5, 10, 20, 20]})");
  const weights::Checkpoint checkpoint = weights::Checkpoint::open(folder.path());
  const Model model = detect(checkpoint);
  EXPECT_EQ(model.family, "sd21");
  EXPECT_EQ(model.missing, std::vector<std::string>{});
  const auto& text = std::get<TextEncoderConfig>(model.find("text_encoder")->config);
  EXPECT_EQ(text.layers, 23);
  EXPECT_EQ(text.heads, 16);
  EXPECT_EQ(text.state, TextState::kLast);
  EXPECT_EQ(text.activation, Activation::kGelu);
  const auto& unet = std::get<UNetConfig>(model.find("unet")->config);
  EXPECT_EQ(unet.heads, 0);
  EXPECT_EQ(unet.head_width, 64);
  EXPECT_EQ(model.prediction, Prediction::kV);
  EXPECT_EQ(model.prediction_evidence, "scheduler/scheduler_config.json says 'v_prediction'");
}

TEST(Folder, ReadsTheSchedulersPredictionAsDiffusersDoes) {
  struct Case {
    const char* config;
    std::optional<Prediction> prediction;
    bool foreign;
    const char* evidence;
  };
  constexpr Case kCases[] = {
      // Python's infinities are no JSON.
      {R"({"lambda_min_clipped": -Infinity, "prediction_type": "v_prediction"})", Prediction::kV,
       false, "scheduler/scheduler_config.json says 'v_prediction'"},
      {R"({"prediction_type": "sample"})", std::nullopt, true,
       "scheduler/scheduler_config.json says 'sample', which is neither epsilon nor v-prediction"},
      {R"({"beta_end": 0.012})", Prediction::kEpsilon, false,
       "scheduler/scheduler_config.json names none, which means epsilon"},
  };
  PipelineFolder folder;
  folder.add("unet", sd2_unet(), kUNetFile);
  for (const Case& each : kCases) {
    folder.write("scheduler/scheduler_config.json", each.config);
    const weights::Checkpoint checkpoint = weights::Checkpoint::open(folder.path());
    const Model model = detect(checkpoint);
    EXPECT_EQ(model.prediction, each.prediction) << each.config;
    EXPECT_EQ(model.foreign_prediction, each.foreign) << each.config;
    EXPECT_EQ(model.prediction_evidence, each.evidence);
  }
}

TEST(Folder, OverridesTheFamilyWithItsConfigurationFiles) {
  PipelineFolder folder;
  folder.add("unet", load_manifest("diffusers/sd15-unet"), kUNetFile);
  folder.add("vae", load_manifest("diffusers/vae-kl-f8"), kUNetFile);
  folder.add("text_encoder", load_manifest("diffusers/text-encoder-clip-l"), kTextFile);
  folder.write("unet/config.json", R"({"attention_head_dim": 10})");
  folder.write("vae/config.json", R"({"scaling_factor": 0.5})");
  folder.write("text_encoder/config.json", R"({"hidden_act": "gelu", "num_attention_heads": 6})");
  const weights::Checkpoint checkpoint = weights::Checkpoint::open(folder.path());
  const Model model = detect(checkpoint);
  EXPECT_EQ(std::get<UNetConfig>(model.find("unet")->config).heads, 10);
  EXPECT_EQ(std::get<VaeConfig>(model.find("vae")->config).scaling_factor, 0.5);
  const auto& text = std::get<TextEncoderConfig>(model.find("text_encoder")->config);
  EXPECT_EQ(text.activation, Activation::kGelu);
  EXPECT_EQ(text.heads, 6);
}

TEST(Folder, OfOneComponentIsReadWithItsConfiguration) {
  PipelineFolder folder;
  folder.add("vae", load_manifest("diffusers/vae-kl-f8"), kUNetFile);
  folder.write("vae/config.json", R"({"scaling_factor": 0.13025})");
  const weights::Checkpoint checkpoint = weights::Checkpoint::open(folder.path() / "vae");
  const Model model = detect(checkpoint);
  EXPECT_EQ(std::get<VaeConfig>(model.find("vae")->config).scaling_factor, 0.13025);
  EXPECT_EQ(model.missing, std::vector<std::string>{});
}

TEST(Folder, SaysWhereTextsEndAndWhatSizeItDraws) {
  PipelineFolder folder;
  folder.add("unet", load_manifest("diffusers/sd15-unet"), kUNetFile);
  folder.add("text_encoder", load_manifest("diffusers/text-encoder-clip-l"), kTextFile);
  const auto read = [&](const std::string& unet, const std::string& text) {
    folder.write("unet/config.json", unet);
    folder.write("text_encoder/config.json", text);
    return detect(weights::Checkpoint::open(folder.path()));
  };
  const auto end_token = [](const Model& model) {
    return std::get<TextEncoderConfig>(model.find("text_encoder")->config).end_token;
  };
  const Model named = read(R"({"sample_size": 96})", R"({"eos_token_id": 49407})");
  EXPECT_EQ(named.native_size, 768);
  EXPECT_EQ(end_token(named), 49407);
  // 2 stands for the largest id.
  const Model early = read(R"({"sample_size": [64, 128]})", R"({"eos_token_id": 2})");
  EXPECT_EQ(early.native_size, 1024);
  EXPECT_EQ(end_token(early), std::nullopt);
  EXPECT_EQ(read("{}", "{}").native_size, 512);
}

TEST(Folder, ThatIsRefusedForItsUNetNamesTheUNetsFile) {
  PipelineFolder folder;
  Manifest unet = load_manifest("diffusers/sd15-unet");
  unet.at("conv_in.weight").shape[1] = 5;
  folder.add("unet", unet, kUNetFile);
  folder.add("text_encoder", load_manifest("diffusers/text-encoder-clip-l"), kTextFile);
  try {
    detect(weights::Checkpoint::open(folder.path()));
    FAIL() << "took it";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(),
              "'" + (folder.path() / "unet" / kUNetFile).string() +
                  "' is a relative of Stable Diffusion 1.x whose UNet takes 5 channels (4 are text "
                  "to image, 8 InstructPix2Pix, 9 inpainting)");
  }
}

}  // namespace
}  // namespace sinter::arch
