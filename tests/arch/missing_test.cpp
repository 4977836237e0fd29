// What a file has lost is named as the file would name it: each case takes tensors out of a
// published network, and exactly their names have to come back.

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "sinter/arch/model.h"
#include "sinter/arch/structure.h"
#include "tests/arch/manifest_checkpoint.h"

namespace sinter::arch {
namespace {

using arch_test::load_manifest;
using arch_test::Manifest;
using arch_test::ManifestCheckpoint;
using Names = std::set<std::string>;

/// Takes the tensors below the prefixes out; returns their names.
Names take_out(Manifest& manifest, const std::vector<std::string>& prefixes) {
  Names taken;
  for (const std::string& prefix : prefixes) {
    for (const auto& tensor : manifest.tensors)
      if (tensor.name.starts_with(prefix)) taken.insert(tensor.name);
    manifest.erase(prefix);
  }
  return taken;
}

Names missing_in(const Manifest& manifest) {
  const Model model = detect(*ManifestCheckpoint(manifest));
  return {model.missing.begin(), model.missing.end()};
}

struct Loss {
  std::string manifest;
  std::vector<std::string> prefixes;
};
void PrintTo(const Loss& loss, std::ostream* out) {
  *out << loss.manifest << " without " << loss.prefixes.front();
}

class Missing : public testing::TestWithParam<Loss> {};

TEST_P(Missing, AreNamedAsTheFileWouldNameThem) {
  Manifest manifest = load_manifest(GetParam().manifest);
  const Names taken = take_out(manifest, GetParam().prefixes);
  ASSERT_FALSE(taken.empty());
  EXPECT_EQ(missing_in(manifest), taken);
}

std::vector<Loss> losses() {
  const std::string unet = "model.diffusion_model.";
  std::vector<Loss> all{
      {"sd15", {unet + "input_blocks.0."}},
      {"sd15", {unet + "input_blocks."}},
      {"sd15", {unet + "output_blocks."}},
      {"sd15", {unet + "input_blocks.4.", unet + "input_blocks.5.", unet + "input_blocks.6."}},
      {"sd15", {unet + "input_blocks.9.", unet + "input_blocks.10.", unet + "input_blocks.11."}},
      // The downsampler and the resnets at the end: the upsampler still tells.
      {"sd15", {unet + "output_blocks.2.1."}},
      {"sd15", {unet + "output_blocks.5.2."}},
      {"sd15", {unet + "output_blocks.0.", unet + "output_blocks.1."}},
      {"sd15", {unet + "input_blocks.4.1."}},
      {"sd15", {unet + "middle_block."}},
      {"sdxl-base", {unet + "middle_block."}},
      {"diffusers/sd15-unet", {"mid_block."}},
      {"sd15", {unet + "middle_block.0."}},
      {"sd15", {unet + "middle_block.2."}},
      {"sd15", {unet + "time_embed."}},
      {"sd15", {unet + "out."}},
      {"sdxl-base", {unet + "label_emb."}},
      {"sdxl-base", {unet + "label_emb.0.0.weight"}},
      {"sdxl-refiner", {unet + "label_emb."}},
      {"sdxl-base", {unet + "input_blocks."}},
      {"sd15", {"first_stage_model.encoder.down.1."}},
      {"sd15", {"first_stage_model.encoder.down.1.downsample."}},
      {"sd15", {"first_stage_model.decoder.up.3."}},
      {"sd15", {"first_stage_model.decoder.up.0.block.2."}},
      {"sd15", {"first_stage_model.decoder.mid.attn_1."}},
      {"sd15", {"first_stage_model.encoder.down."}},
      {"sd15", {"first_stage_model.quant_conv."}},
      {"sd21", {"first_stage_model.post_quant_conv."}},
      {"sd15", {"cond_stage_model.transformer.text_model.embeddings.token_embedding."}},
      {"sd21", {"cond_stage_model.model.positional_embedding"}},
      {"sd21", {"cond_stage_model.model.transformer.resblocks.3.attn.in_proj_weight"}},
      {"sd21", {"cond_stage_model.model.transformer.resblocks.3."}},
      {"sdxl-base", {"conditioner.embedders.1.model.text_projection"}},
      {"diffusers/sd15-unet", {"conv_in."}},
      {"diffusers/sd15-unet", {"down_blocks."}},
      {"diffusers/sd15-unet", {"up_blocks."}},
      {"diffusers/sd15-unet", {"down_blocks.1."}},
      {"diffusers/sd15-unet", {"up_blocks.0.upsamplers."}},
      {"diffusers/sd15-unet", {"up_blocks.2.resnets.2.", "up_blocks.2.attentions.2."}},
      {"diffusers/sd15-unet", {"down_blocks.0.attentions.1."}},
      {"diffusers/sdxl-unet", {"add_embedding.linear_1."}},
      {"diffusers/vae-kl-f8", {"decoder.up_blocks.0."}},
      {"diffusers/vae-kl-f8", {"encoder.down_blocks."}},
      {"diffusers/vae-kl-f8", {"post_quant_conv."}},
      {"vae-standalone", {"quant_conv."}},
      {"diffusers/text-encoder-clip-l", {"text_model.encoder.layers.4."}},
      {"diffusers/text-encoder-2-bigG", {"text_projection."}},
  };
  for (int block = 1; block < 12; ++block)
    all.push_back({"sd15", {unet + "input_blocks." + std::to_string(block) + "."}});
  for (int block = 0; block < 12; ++block)
    all.push_back({"sd15", {unet + "output_blocks." + std::to_string(block) + "."}});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Published, Missing, testing::ValuesIn(losses()));

class MissingOne : public testing::TestWithParam<const char*> {};

TEST_P(MissingOne, OfAnyTensorsIsNamed) {
  const Manifest whole = load_manifest(GetParam());
  // Every eleventh: all kinds of places in seconds.
  for (std::size_t i = 0; i < whole.tensors.size(); i += 11) {
    const std::string name = whole.tensors[i].name;
    if (name.ends_with("position_ids") || name.find('.') == std::string::npos) continue;
    Manifest manifest = whole;
    std::erase_if(manifest.tensors, [&](const auto& tensor) { return tensor.name == name; });
    EXPECT_EQ(missing_in(manifest), Names{name});
  }
}

INSTANTIATE_TEST_SUITE_P(Published, MissingOne,
                         testing::Values("tiny/sd1", "tiny/sd2", "tiny/sdxl-base",
                                         "tiny/sdxl-refiner", "diffusers/sd15-unet",
                                         "diffusers/vae-kl-f8", "vae-standalone"));

TEST(MissingTensors, AreKnownByBothNamesAndTheShapeAsFarAsItIs) {
  Manifest manifest = load_manifest("sd15");
  manifest.erase("model.diffusion_model.input_blocks.0.0.weight");
  const Model model = detect(*ManifestCheckpoint(manifest));
  const std::vector<MissingTensor>& missing = model.find("unet")->missing;
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_EQ(missing[0].key, "model.diffusion_model.input_blocks.0.0.weight");
  EXPECT_EQ(missing[0].canonical, "conv_in.weight");
  EXPECT_EQ(open_shape(missing[0].shape), "[320,?,3,3]");
}

TEST(MissingTensors, OfOlderSpellingsAreNamedInTheirs) {
  Manifest manifest = load_manifest("diffusers/vae-kl-f8");
  const std::string attention = "encoder.mid_block.attentions.0.";
  manifest.rename(attention + "to_q.", attention + "query.");
  manifest.erase(attention + "query.bias");
  EXPECT_EQ(missing_in(manifest), Names{attention + "query.bias"});

  Manifest text = load_manifest("tiny/sd1");
  const std::string tower = "cond_stage_model.transformer.";
  text.rename(tower + "text_model.", tower);
  text.erase(tower + "final_layer_norm.bias");
  EXPECT_EQ(missing_in(text), Names{tower + "final_layer_norm.bias"});
}

/// How wide a level was that both sides have lost, nothing tells.
TEST(MissingTensors, OfALevelThatBothSidesLostAreNamedAsFarAsTheyAreKnown) {
  Manifest manifest = load_manifest("diffusers/sd15-unet");
  Names taken = take_out(manifest, {"down_blocks.3.", "up_blocks.0."});
  std::erase_if(taken, [](const std::string& name) {
    return name.find("conv_shortcut") != std::string::npos;
  });
  EXPECT_EQ(missing_in(manifest), taken);
}

TEST(MissingTensors, OfATowerWithoutLayersAreThoseOfItsFirst) {
  Manifest manifest = load_manifest("diffusers/text-encoder-clip-l");
  manifest.erase("text_model.encoder.");
  const Names missing = missing_in(manifest);
  EXPECT_EQ(missing.size(), 16u);
  EXPECT_TRUE(missing.contains("text_model.encoder.layers.0.self_attn.q_proj.weight"));
}

TEST(MissingTensors, OfAnAutoencoderWithoutItsDecoderAreOneWord) {
  Manifest manifest = load_manifest("sd15");
  manifest.erase("first_stage_model.decoder.");
  manifest.erase("first_stage_model.post_quant_conv.");
  EXPECT_EQ(missing_in(manifest), Names{"vae decoder (the whole component)"});
}

TEST(MissingTensors, OfAnEncoderAloneAreNone) {
  Manifest manifest = load_manifest("vae-standalone");
  manifest.erase("decoder.");
  manifest.erase("post_quant_conv.");
  EXPECT_EQ(missing_in(manifest), Names{});
}

}  // namespace
}  // namespace sinter::arch
