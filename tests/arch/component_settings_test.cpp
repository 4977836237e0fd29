#include <gtest/gtest.h>

#include <ostream>

#include "sinter/arch/model.h"
#include "sinter/base/error.h"
#include "tests/arch/pipeline_folder.h"

namespace sinter::arch {
namespace {

using arch_test::kTextFile;
using arch_test::kUNetFile;
using arch_test::load_manifest;
using arch_test::PipelineFolder;

/// Stable Diffusion 1 as a folder, with a config.json for one of its components.
class Settings : public testing::Test {
 protected:
  Settings() {
    folder_.add("unet", load_manifest("diffusers/sd15-unet"), kUNetFile);
    folder_.add("vae", load_manifest("diffusers/vae-kl-f8"), kUNetFile);
    folder_.add("text_encoder", load_manifest("diffusers/text-encoder-clip-l"), kTextFile);
  }

  Model read(const std::string& component, const std::string& json) {
    folder_.write(component + "/config.json", json);
    return detect(weights::Checkpoint::open(folder_.path()));
  }

  std::string config_path(const std::string& component) const {
    return (folder_.path() / component / "config.json").string();
  }

  void expect_refused(const std::string& component, const std::string& json, ErrorCode code,
                      const std::string& found, const std::string& expected) {
    try {
      read(component, json);
      ADD_FAILURE() << component << " took " << json;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << json;
      EXPECT_EQ(error.message(),
                config_path(component) + " has " + found + ", expected " + expected);
    }
    folder_.write(component + "/config.json", "{}");
  }

 private:
  PipelineFolder folder_;
};

/// A value that the published class takes and that changes its numbers.
struct Variant {
  const char* component;
  const char* key;
  const char* value;
  const char* expected;
};
void PrintTo(const Variant& variant, std::ostream* out) {
  *out << variant.component << ' ' << variant.key;
}

constexpr Variant kVariants[] = {
    {"unet", "norm_num_groups", "16", "32"},
    {"unet", "norm_num_groups", "null", "32"},
    {"unet", "norm_eps", "1e-06", "1e-05"},
    {"unet", "act_fn", "\"gelu\"", R"("silu" or "swish")"},
    {"unet", "center_input_sample", "true", "false"},
    {"unet", "flip_sin_to_cos", "false", "true"},
    {"unet", "freq_shift", "1", "0"},
    {"unet", "downsample_padding", "0", "1"},
    {"unet", "mid_block_scale_factor", "1.4142", "1"},
    {"unet", "conv_in_kernel", "1", "3"},
    {"unet", "conv_out_kernel", "1", "3"},
    {"unet", "mid_block_type", "\"UNetMidBlock2DSimpleCrossAttn\"",
     R"("UNetMidBlock2DCrossAttn" or "UNetMidBlock2D" or null)"},
    {"unet", "only_cross_attention", "true", "false"},
    {"unet", "mid_block_only_cross_attention", "true", "false or null"},
    {"unet", "dual_cross_attention", "true", "false"},
    {"unet", "attention_type", "\"gated\"", "\"default\""},
    {"unet", "cross_attention_norm", "\"layer_norm\"", "null"},
    {"unet", "resnet_time_scale_shift", "\"scale_shift\"", "\"default\""},
    {"unet", "resnet_skip_time_act", "true", "false"},
    {"unet", "resnet_out_scale_factor", "2.0", "1"},
    {"unet", "time_embedding_type", "\"fourier\"", "\"positional\""},
    {"unet", "time_embedding_act_fn", "\"silu\"", "null"},
    {"unet", "timestep_post_act", "\"silu\"", "null"},
    {"unet", "time_cond_proj_dim", "256", "null"},
    {"unet", "class_embed_type", "\"timestep\"", "null"},
    {"unet", "num_class_embeds", "1000", "null"},
    {"unet", "class_embeddings_concat", "true", "false"},
    {"unet", "addition_embed_type", "\"text\"", R"("text_time" or null)"},
    {"unet", "addition_time_embed_dim", "128", "256 or null"},
    {"unet", "encoder_hid_dim", "1024", "null"},
    {"unet", "encoder_hid_dim_type", "\"text_proj\"", "null"},
    {"vae", "norm_num_groups", "16", "32"},
    {"vae", "act_fn", "\"mish\"", R"("silu" or "swish")"},
    {"vae", "shift_factor", "0.1159", "0 or null"},
    {"vae", "latents_mean", "[0.1,0.2,0.3,0.4]", "null"},
    {"vae", "latents_std", "[1.0,1.0,1.0,1.0]", "null"},
    {"text_encoder", "layer_norm_eps", "1e-06", "1e-05"},
    {"text_encoder", "hidden_act", "\"relu\"", R"("quick_gelu" or "gelu")"},
};

class VariantSettings : public Settings, public testing::WithParamInterface<Variant> {};

TEST_P(VariantSettings, AreRefusedAndNamed) {
  const Variant& variant = GetParam();
  const std::string json = std::string("{\"") + variant.key + "\": " + variant.value + "}";
  expect_refused(variant.component, json, ErrorCode::kUnsupported,
                 std::string(variant.key) + " " + variant.value, variant.expected);
}

INSTANTIATE_TEST_SUITE_P(Published, VariantSettings, testing::ValuesIn(kVariants));

TEST_F(Settings, OfThePublishedFilesAreTaken) {
  EXPECT_NO_THROW(read("unet", R"({"act_fn": "silu", "attention_head_dim": 8,
    "center_input_sample": false, "cross_attention_dim": 768, "down_block_types":
    ["CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"],
    "downsample_padding": 1, "dual_cross_attention": false, "flip_sin_to_cos": true,
    "freq_shift": 0, "layers_per_block": 2, "mid_block_scale_factor": 1.0, "norm_eps": 1e-05,
    "norm_num_groups": 32, "num_class_embeds": null, "only_cross_attention": [false, false, false,
    false], "upcast_attention": true, "resnet_time_scale_shift": "default"})"));
  EXPECT_NO_THROW(read("vae", R"({"act_fn": "silu", "force_upcast": true, "latents_mean": null,
    "norm_num_groups": 32, "scaling_factor": 0.13025, "shift_factor": null})"));
  EXPECT_NO_THROW(read("text_encoder", R"({"hidden_act": "quick_gelu", "layer_norm_eps": 1e-05,
    "num_attention_heads": 12, "vocab_size": 49408})"));
}

TEST_F(Settings, OfOneLevelDecideToo) {
  expect_refused("unet", R"({"only_cross_attention": [false, true, false, false]})",
                 ErrorCode::kUnsupported, "only_cross_attention true", "false");
  expect_refused("unet", R"({"down_block_types": ["CrossAttnDownBlock2D", "AttnDownBlock2D"]})",
                 ErrorCode::kUnsupported, R"(down_block_types "AttnDownBlock2D")",
                 R"("CrossAttnDownBlock2D" or "DownBlock2D")");
}

TEST_F(Settings, OfAnotherJsonTypeAreDamage) {
  const ErrorCode bad = ErrorCode::kBadFile;
  expect_refused("unet", R"({"norm_num_groups": "32"})", bad, R"(norm_num_groups "32")",
                 "a number");
  expect_refused("unet", R"({"flip_sin_to_cos": 1})", bad, "flip_sin_to_cos 1", "true or false");
  expect_refused("unet", R"({"act_fn": 3})", bad, "act_fn 3", "a text");
  expect_refused("vae", R"({"scaling_factor": "0.18215"})", bad, R"(scaling_factor "0.18215")",
                 "a number above 0");
  expect_refused("vae", R"({"scaling_factor": 0})", bad, "scaling_factor 0", "a number above 0");
  expect_refused("vae", R"({"scaling_factor": -1.5})", bad, "scaling_factor -1.5",
                 "a number above 0");
  expect_refused("vae", R"({"use_quant_conv": "no"})", bad, R"(use_quant_conv "no")",
                 "true or false");
  expect_refused("text_encoder", R"({"num_attention_heads": "12"})", bad,
                 R"(num_attention_heads "12")", "a whole number above 0");
  expect_refused("text_encoder", R"({"num_attention_heads": 0})", bad, "num_attention_heads 0",
                 "a whole number above 0");
  expect_refused("text_encoder", R"({"hidden_act": 7})", bad, "hidden_act 7",
                 R"("quick_gelu" or "gelu")");
}

TEST_F(Settings, WithImpossibleHeadsAreRefused) {
  const ErrorCode shape = ErrorCode::kShapeMismatch;
  const std::string divides = "a number that divides the 320 channels of level 0";
  expect_refused("unet", R"({"attention_head_dim": 3})", shape, "attention_head_dim 3", divides);
  expect_refused("unet", R"({"attention_head_dim": 1000})", shape, "attention_head_dim 1000",
                 divides);
  expect_refused("unet", R"({"attention_head_dim": 4611686018427387904})", shape,
                 "attention_head_dim 4611686018427387904", divides);
  expect_refused("unet", R"({"attention_head_dim": [5, 10, 7, 20]})", shape,
                 "attention_head_dim [5,10,7,20]",
                 "a number that divides the 1280 channels of level 2");
  const ErrorCode bad = ErrorCode::kBadFile;
  expect_refused("unet", R"({"attention_head_dim": []})", bad, "attention_head_dim []",
                 "a whole number above 0, or one a level");
  expect_refused("unet", R"({"attention_head_dim": [8, 8]})", bad, "attention_head_dim [8,8]",
                 "a number for each of the 4 levels");
  expect_refused("unet", R"({"attention_head_dim": 18446744073709551615})", bad,
                 "attention_head_dim 18446744073709551615", "whole numbers above 0");
  expect_refused("unet", R"({"num_attention_heads": "8"})", bad, R"(num_attention_heads "8")",
                 "whole numbers above 0");
  expect_refused("unet", R"({"attention_head_dim": [5, 20, 20, 20]})", ErrorCode::kUnsupported,
                 "attention_head_dim [5,20,20,20]",
                 "one number for all levels, or one width of heads");
}

TEST_F(Settings, OfHeadsMatterWhereThereIsAttention) {
  // The last level has resnets only; the middle attends at its width.
  const Model model = read("unet", R"({"attention_head_dim": [5, 10, 20, 20]})");
  const auto& unet = std::get<UNetConfig>(model.find("unet")->config);
  EXPECT_EQ(unet.heads, 0);
  EXPECT_EQ(unet.head_width, 64);
}

TEST_F(Settings, OfAQuantConvThatIsNotUsedAreFollowed) {
  const Model without = read("vae", R"({"use_quant_conv": false, "use_post_quant_conv": false})");
  const auto& vae = std::get<VaeConfig>(without.find("vae")->config);
  EXPECT_FALSE(vae.quant_conv || vae.post_quant_conv);
  EXPECT_EQ(without.unexpected.size(), 4u);
}

TEST_F(Settings, OfTheNumberOfLayersAreFollowed) {
  const Model fewer = read("text_encoder", R"({"num_hidden_layers": 11})");
  EXPECT_EQ(std::get<TextEncoderConfig>(fewer.find("text_encoder")->config).layers, 11);
  EXPECT_EQ(fewer.unexpected.size(), 16u);
  const Model more = read("text_encoder", R"({"num_hidden_layers": 13})");
  EXPECT_EQ(more.missing.size(), 16u);
  EXPECT_EQ(read("text_encoder", R"({"num_hidden_layers": 4611686018427387904})").missing.size(),
            16u * (96 - 12));
}

TEST(SettingsOfAFolder, WithoutAMiddleAreFollowed) {
  PipelineFolder folder;
  arch_test::Manifest unet = load_manifest("diffusers/sd15-unet");
  unet.erase("mid_block.");
  folder.add("unet", unet, kUNetFile);
  folder.write("unet/config.json", R"({"mid_block_type": null})");
  EXPECT_EQ(detect(weights::Checkpoint::open(folder.path())).missing.size(), 0u);
  folder.write("unet/config.json", R"({"mid_block_type": "UNetMidBlock2DCrossAttn"})");
  EXPECT_EQ(detect(weights::Checkpoint::open(folder.path())).missing.size(), 46u);
}

TEST_F(Settings, ThatAreNoObjectAreDamage) {
  try {
    read("vae", "[1, 2]");
    FAIL() << "took it";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadFile);
    EXPECT_EQ(error.message(), config_path("vae") + " is no JSON object");
  }
}

TEST(SettingsOfAFolder, WithoutQuantConvSayWhyItIsNotThere) {
  arch_test::Manifest vae = load_manifest("diffusers/vae-kl-f8");
  vae.erase("quant_conv.");
  vae.erase("post_quant_conv.");
  PipelineFolder folder;
  folder.add("vae", vae, kUNetFile);
  EXPECT_EQ(detect(weights::Checkpoint::open(folder.path())).missing.size(), 4u);
  folder.write("vae/config.json", R"({"use_quant_conv": false, "use_post_quant_conv": false})");
  EXPECT_EQ(detect(weights::Checkpoint::open(folder.path())).missing.size(), 0u);
}

TEST(SettingsOfAFolder, WithAVectorAskForItsTensors) {
  PipelineFolder folder;
  arch_test::Manifest unet = load_manifest("diffusers/sdxl-unet");
  unet.erase("add_embedding.");
  folder.add("unet", unet, kUNetFile);
  folder.write("unet/config.json", R"({"addition_embed_type": "text_time"})");
  const Model model = detect(weights::Checkpoint::open(folder.path()));
  ASSERT_EQ(model.missing.size(), 4u);
  EXPECT_EQ(model.missing.front(), "unet/add_embedding.linear_1.weight");
}

/// Stable Diffusion XL's own heads are 64 wide, and its latents scaled by 0.13025.
TEST(ClassDefaults, StandWhereAFileOfTheClassLeavesThemOut) {
  PipelineFolder folder;
  folder.add("unet", load_manifest("diffusers/sdxl-unet"), kUNetFile);
  folder.add("vae", load_manifest("diffusers/vae-kl-f8"), kUNetFile);
  folder.add("text_encoder", load_manifest("diffusers/text-encoder-clip-l"), kTextFile);
  folder.write("unet/config.json", R"({"_class_name":"UNet2DConditionModel"})");
  folder.write("vae/config.json", R"({"_class_name":"AutoencoderKL"})");
  folder.write("text_encoder/config.json", R"({"model_type":"clip_text_model"})");
  const Model model = detect(weights::Checkpoint::open(folder.path()));
  EXPECT_EQ(std::get<UNetConfig>(model.find("unet")->config).heads, 8);
  EXPECT_EQ(std::get<VaeConfig>(model.find("vae")->config).scaling_factor, 0.18215);
  const auto& text = std::get<TextEncoderConfig>(model.find("text_encoder")->config);
  EXPECT_EQ(text.heads, 8);
  EXPECT_EQ(text.activation, Activation::kQuickGelu);
}

TEST(ClassDefaults, SayNothingOfAFileThatNamesNoClass) {
  PipelineFolder folder;
  folder.add("unet", load_manifest("diffusers/sdxl-unet"), kUNetFile);
  folder.add("vae", load_manifest("diffusers/vae-kl-f8"), kUNetFile);
  folder.write("unet/config.json", R"({"sample_size":128})");
  folder.write("vae/config.json", "{}");
  const Model model = detect(weights::Checkpoint::open(folder.path()));
  EXPECT_EQ(std::get<UNetConfig>(model.find("unet")->config).head_width, 64);
  EXPECT_EQ(std::get<VaeConfig>(model.find("vae")->config).scaling_factor, 0.13025);
}

TEST(TextLayers, ThatMayBeMissingAreTold) {
  arch_test::Manifest manifest = load_manifest("diffusers/text-encoder-clip-l");
  manifest.erase("text_model.encoder.layers.11.");
  const arch_test::ManifestCheckpoint checkpoint(manifest);
  const Model model = detect(*checkpoint);
  EXPECT_EQ(model.evidence.back(),
            "text_encoder has the names of transformers' CLIP, 11 layers 768 wide (CLIP ViT-L/14 "
            "has 12: the last 1 layer may be missing)");
}

}  // namespace
}  // namespace sinter::arch
