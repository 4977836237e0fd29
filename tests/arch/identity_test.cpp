#include "sinter/arch/identity.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "sinter/arch/model.h"
#include "sinter/base/error.h"
#include "tests/arch/manifest_checkpoint.h"

namespace sinter::arch {
namespace {

using arch_test::load_manifest;
using arch_test::Manifest;
using arch_test::ManifestCheckpoint;

nlohmann::json load_files() {
  std::ifstream file(std::string(SINTER_TEST_DATA) + "/arch/files.json");
  return nlohmann::json::parse(file);
}

Manifest manifest_of(const nlohmann::json& file) {
  Manifest manifest;
  for (const auto& tensor : file.at("tensors"))
    manifest.add(tensor.at(0), tensor.at(1).get<Shape>(), "F16");
  manifest.metadata = file.at("metadata").get<std::map<std::string, std::string>>();
  return manifest;
}

TEST(Identity, IsThatOfEveryCaseFile) {
  const nlohmann::json files = load_files();
  for (const auto& [name, file] : files.items()) {
    const ManifestCheckpoint checkpoint(manifest_of(file));
    const Identity identity = identify(*checkpoint);
    EXPECT_EQ(identity.contents, file.at("contents")) << name << ": " << identity.sentence;
    if (file.contains("architecture")) {
      const auto accepted = file.at("architecture").get<std::vector<std::string>>();
      EXPECT_NE(std::ranges::find(accepted, identity.architecture), accepted.end())
          << name << " is " << identity.architecture << ", expected " << accepted.front();
    }
    EXPECT_FALSE(identity.sentence.empty()) << name;
  }
}

/// Incomplete files are the rule here: whatever is wrong with one must come as an Error.
TEST(Identity, DecidesWhetherDetectionStarts) {
  const nlohmann::json files = load_files();
  for (const auto& [name, file] : files.items()) {
    const ManifestCheckpoint checkpoint(manifest_of(file));
    const Identity identity = identify(*checkpoint);
    try {
      detect(*checkpoint);
      EXPECT_TRUE(identity.convertible) << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code() == ErrorCode::kUnsupported, !identity.convertible)
          << name << ": " << error.what();
    }
  }
}

TEST(Identity, OfIncompleteFilesLeavesTheMissingToDetection) {
  const nlohmann::json files = load_files();
  for (const char* name : {"sd1.safetensors", "sd2.safetensors", "sdxl.safetensors",
                           "refiner.safetensors", "vae.safetensors"}) {
    const ManifestCheckpoint checkpoint(manifest_of(files.at(name)));
    const Model model = detect(*checkpoint);
    EXPECT_FALSE(model.missing.empty()) << name;
  }
}

struct Known {
  const char* manifest;
  const char* architecture;
  const char* contents;
  const char* sentence;
};

const Known kKnown[] = {
    {"sd15", "sd1", "checkpoint", "a Stable Diffusion 1.x checkpoint"},
    {"sd15-inpainting", "sd1-inpainting", "checkpoint",
     "a Stable Diffusion 1.x inpainting checkpoint"},
    {"sd21", "sd2", "checkpoint", "a Stable Diffusion 2.x checkpoint"},
    {"sdxl-base", "sdxl-base", "checkpoint", "a Stable Diffusion XL base checkpoint"},
    {"sdxl-refiner", "sdxl-refiner", "checkpoint", "a Stable Diffusion XL refiner checkpoint"},
    {"vae-standalone", "vae", "vae", "an autoencoder (VAE)"},
    {"controlnet-sd15", "sd1", "controlnet",
     "a ControlNet in the original layout for Stable Diffusion 1.x"},
    {"diffusers/sd15-unet", "sd1", "unet", "the UNet of Stable Diffusion 1.x"},
    {"diffusers/sdxl-unet", "sdxl-base", "unet", "the UNet of Stable Diffusion XL base"},
    {"diffusers/vae-kl-f8", "vae", "vae", "an autoencoder (VAE)"},
    {"diffusers/text-encoder-clip-l", "clip-l", "text-encoder", "a text encoder, CLIP ViT-L/14"},
    {"diffusers/text-encoder-2-bigG", "openclip-bigg", "text-encoder",
     "a text encoder, OpenCLIP ViT-bigG/14"},
    {"diffusers/controlnet-sd15", "sd1", "controlnet",
     "a ControlNet in diffusers' layout for Stable Diffusion 1.x"},
    {"diffusers/controlnet-sdxl", "sdxl-base", "controlnet",
     "a ControlNet in diffusers' layout for Stable Diffusion XL base"},
    {"diffusers/taesd", "taesd", "vae", "a tiny autoencoder (TAESD)"},
};

TEST(Identity, IsThatOfEveryPublishedNetwork) {
  for (const Known& known : kKnown) {
    const ManifestCheckpoint checkpoint{std::string(known.manifest)};
    const Identity identity = identify(*checkpoint);
    EXPECT_EQ(identity.architecture, known.architecture) << known.manifest;
    EXPECT_EQ(identity.contents, known.contents) << known.manifest;
    EXPECT_EQ(identity.sentence, known.sentence) << known.manifest;
    EXPECT_EQ(identity.advice.empty(), identity.convertible) << known.manifest;
  }
}

/// Names as each kind of file has them, a few of many.
struct Foreign {
  std::vector<std::pair<std::string, Shape>> tensors;
  const char* architecture;
  const char* contents;
  const char* sentence;
};

const Foreign kForeign[] = {
    {{{"model.diffusion_model.double_blocks.0.img_attn.qkv.weight", {9216, 3072}},
      {"model.diffusion_model.single_blocks.0.linear1.weight", {21504, 3072}}},
     "flux",
     "other",
     "Flux"},
    {{{"transformer/single_transformer_blocks.0.attn.to_q.weight", {3072, 3072}}},
     "flux",
     "other",
     "Flux"},
    {{{"model.diffusion_model.joint_blocks.0.x_block.attn.qkv.weight", {4608, 1536}}},
     "sd3",
     "other",
     "Stable Diffusion 3"},
    {{{"clip_txt_mapper.weight", {2048, 1280}}}, "cascade", "other", "Stable Cascade (stage C)"},
    {{{"adaln_single.linear.weight", {6912, 1152}},
      {"caption_projection.linear_1.weight", {1152, 4096}}},
     "pixart",
     "other",
     "PixArt"},
    {{{"adapter.body.0.block1.weight", {320, 320, 3, 3}}}, "", "other", "a T2I-Adapter"},
    {{{"image_proj.proj.weight", {3072, 1024}}, {"ip_adapter.1.to_k_ip.weight", {320, 768}}},
     "",
     "other",
     "an IP-Adapter"},
    {{{"down_blocks.0.motion_modules.0.temporal_transformer.norm.weight", {320}}},
     "",
     "other",
     "an AnimateDiff motion module"},
    {{{"model.0.weight", {64, 3, 3, 3}}, {"model.1.sub.0.RDB1.conv1.0.weight", {32, 64, 3, 3}}},
     "esrgan",
     "other",
     "an ESRGAN upscaler"},
    {{{"vision_model.encoder.layers.0.self_attn.q_proj.weight", {1280, 1280}}},
     "clip-vision",
     "other",
     "CLIP's image tower"},
    {{{"shared.weight", {32128, 4096}},
      {"encoder.block.0.layer.0.SelfAttention.q.weight", {4096, 4096}}},
     "t5",
     "text-encoder",
     "a T5 text encoder"},
    {{{"unet.down_blocks.0.attentions.0.transformer_blocks.0.attn2.to_k.lora_A.weight", {4, 1024}},
      {"unet.down_blocks.0.attentions.0.transformer_blocks.0.attn2.to_k.lora_B.weight", {320, 4}}},
     "sd2",
     "lora",
     "a LoRA in diffusers' layout for Stable Diffusion 2.x, rank 4"},
    {{{"lora_unet_double_blocks_0_img_attn_qkv.lora_down.weight", {4, 3072}}},
     "flux",
     "lora",
     "a LoRA in kohya's layout for Flux, rank 4"},
    {{{"lora_unet_output_blocks_5_1_transformer_blocks_0_attn2_to_k.lora_down.weight", {4, 2048}}},
     "sdxl-base",
     "lora",
     "a LoRA in kohya's layout for Stable Diffusion XL base, rank 4"},
    {{{"<cat>", {768}}},
     "sd1",
     "embedding",
     "a textual inversion embedding for Stable Diffusion 1.x, 1 vector 768 wide"},
    {{{"model.layers.0.self_attn.q_proj.weight", {64, 64}}},
     "language-model",
     "other",
     "a language model"},
};

TEST(Identity, NamesWhatIsNoStableDiffusion) {
  for (const Foreign& foreign : kForeign) {
    Manifest manifest;
    for (const auto& [name, shape] : foreign.tensors) manifest.add(name, shape, "F16");
    const ManifestCheckpoint checkpoint(manifest);
    const Identity identity = identify(*checkpoint);
    EXPECT_EQ(identity.architecture, foreign.architecture) << foreign.tensors[0].first;
    EXPECT_EQ(identity.contents, foreign.contents) << foreign.tensors[0].first;
    EXPECT_EQ(identity.sentence, foreign.sentence) << foreign.tensors[0].first;
    EXPECT_FALSE(identity.convertible);
    EXPECT_FALSE(identity.advice.empty());
    EXPECT_THROW(detect(*checkpoint), Error);
  }
}

TEST(Identity, NamesTheInputChannelsThatNoFamilyHas) {
  Manifest manifest = load_manifest("sd21");
  manifest.at("model.diffusion_model.input_blocks.0.0.weight").shape = {320, 5, 3, 3};
  const ManifestCheckpoint checkpoint(manifest);
  const Identity identity = identify(*checkpoint);
  EXPECT_FALSE(identity.convertible);
  EXPECT_NE(identity.sentence.find("takes 5 channels"), std::string::npos);
}

TEST(Identity, TakesACheckpointWithAControlNetInItForACheckpoint) {
  Manifest manifest = load_manifest("tiny/sd1");
  for (const auto& tensor : load_manifest("tiny/controlnet-sd1").tensors)
    manifest.tensors.push_back(tensor);
  const ManifestCheckpoint checkpoint(manifest);
  EXPECT_EQ(identify(*checkpoint).contents, "checkpoint");
  EXPECT_EQ(detect(*checkpoint).unexpected, std::vector<std::string>{});
}

}  // namespace
}  // namespace sinter::arch
