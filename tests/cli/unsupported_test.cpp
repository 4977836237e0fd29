// Files that are sound and no Stable Diffusion checkpoint: named as what they are, status 4.
#include <fmt/format.h>

#include <filesystem>

#include "tests/cli/command_test.h"

namespace sinter::cli {
namespace {

constexpr std::string_view kForeign =
    "sinter converts Stable Diffusion 1.x, 2.x and XL and their relatives";
constexpr std::string_view kAdapter =
    "it cannot stand alone: sinter convert CHECKPOINT OUT --lora FILE merges it";
constexpr std::string_view kEmbedding =
    "it works beside a checkpoint: sinter convert CHECKPOINT OUT --embedding FILE gives its "
    "tokenizer and text encoder the word";

class Unsupported : public CommandTest {
 protected:
  /// inspect names it and is done; convert and generate refuse it.
  void expect_named(const std::vector<Key>& keys, std::string_view what,
                    std::string_view hint) const {
    write_keys("it.safetensors", keys);
    const Ended seen = sinter({"inspect", "it.safetensors"});
    EXPECT_EQ(seen.status, 0) << seen.err;
    for (const std::string& line :
         {fmt::format("\nwhat            {}\n", what), fmt::format("\nuse             {}\n", hint)})
      EXPECT_NE(seen.out.find(line), std::string::npos) << line << seen.out;
    const std::string refusal =
        fmt::format("error: 'it.safetensors' is {}\nhint: {}\n", what, hint);
    expect_error(sinter({"convert", "it.safetensors", "out"}), 4, refusal);
    expect_error(sinter({"generate", "it.safetensors", "-p", "a cat"}), 4, refusal);
    EXPECT_EQ(entries(), std::vector<std::string>{"it.safetensors"});
  }
};

TEST_F(Unsupported, Flux) {
  expect_named({{"double_blocks.0.img_attn.qkv.weight", {9, 3}},
                {"single_blocks.0.linear1.weight", {9, 3}},
                {"img_in.weight", {3, 64}}},
               "Flux", kForeign);
}

TEST_F(Unsupported, StableDiffusion3) {
  expect_named({{"model.diffusion_model.joint_blocks.0.x_block.attn.qkv.weight", {9, 3}},
                {"model.diffusion_model.x_embedder.proj.weight", {8, 16, 2, 2}}},
               "Stable Diffusion 3", kForeign);
}

TEST_F(Unsupported, ALoraAlone) {
  expect_named(
      {{"lora_unet_down_blocks_0_attentions_0_transformer_blocks_0_attn2_to_k.lora_down.weight",
        {4, 768}},
       {"lora_unet_down_blocks_0_attentions_0_transformer_blocks_0_attn2_to_k.lora_up.weight",
        {320, 4}}},
      "a LoRA in kohya's layout for Stable Diffusion 1.x, rank 4", kAdapter);
}

TEST_F(Unsupported, AnEmbedding) {
  expect_named({{"emb_params", {4, 1024}}},
               "a textual inversion embedding for Stable Diffusion 2.x, 4 vectors 1024 wide",
               kEmbedding);
}

TEST_F(Unsupported, AnUnknownNetwork) {
  expect_named({{"layer.weight", {2, 2}}},
               "no network that sinter knows (1 tensor, the first is 'layer.weight')", kForeign);
}

TEST_F(Unsupported, InpaintingConvertsAndIsNotDrawnWith) {
  const std::string file = stand_in("sd1-inpainting");
  EXPECT_EQ(sinter({"convert", file, "out"}).status, 0);
  const Ended ended = sinter({"generate", "out", "-p", "a cat", "-W", "64", "-H", "64", "--steps",
                              "1", "--engine", "onnxruntime"});
  EXPECT_EQ(ended.status, 4) << ended.err;
  EXPECT_TRUE(ended.err.starts_with("error: ")) << ended.err;
}

}  // namespace
}  // namespace sinter::cli
