#include "sinter/arch/signatures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sinter/arch/identity.h"
#include "tests/arch/manifest_checkpoint.h"

namespace sinter::arch {
namespace {

using arch_test::Manifest;
using arch_test::ManifestCheckpoint;

weights::TensorEntry entry(std::string name, Shape shape) {
  return {.name = std::move(name),
          .dtype = DType::kF16,
          .shape = std::move(shape),
          .file = 0,
          .begin = 0,
          .bytes = 0};
}

/// A name that has the mark: the fewest letters more.
std::string name_with(std::string_view mark) {
  std::string name;
  if (mark.starts_with('^'))
    mark.remove_prefix(1);
  else
    name = mark.starts_with('.') ? "x" : "";
  const bool closed = mark.ends_with('$');
  if (closed) mark.remove_suffix(1);
  for (const char c : mark) name += c == '#' ? '0' : c;
  if (!closed && name.ends_with('.')) name += "weight";
  return name;
}

/// The fewest tensors that a row can be told by.
std::vector<weights::TensorEntry> fewest(const Signature& row) {
  std::vector<weights::TensorEntry> tensors;
  for (const std::string_view mark : row.marks)
    if (!mark.empty()) tensors.push_back(entry(name_with(mark), {8, 8}));
  if (!row.shape.ending.empty()) {
    Shape shape(
        row.shape.axis == kRank ? static_cast<std::size_t>(row.shape.extent) : row.shape.axis + 2,
        1);
    if (row.shape.axis != kRank) shape[row.shape.axis] = row.shape.extent;
    tensors.push_back(entry(name_with(row.shape.ending), std::move(shape)));
  }
  return tensors;
}

/// A row that an earlier one always forestalls would be dead.
TEST(Signatures, AreEachToldByTheirFewestNames) {
  for (const Signature& row : signatures()) {
    const Identity identity = identify(fewest(row), {});
    EXPECT_TRUE(identity.sentence.starts_with(row.title))
        << row.title << " (" << row.marks[0] << ") is taken for " << identity.sentence;
    EXPECT_EQ(identity.kind, file_kind(row.kind).word) << row.title;
  }
}

TEST(Signatures, HaveAPurposeAndAnAdvice) {
  for (const Signature& row : signatures()) {
    const Identity identity = identify(fewest(row), {});
    EXPECT_FALSE(identity.purpose.empty()) << row.title;
    EXPECT_FALSE(identity.advice.empty()) << row.title;
    EXPECT_FALSE(identity.convertible) << row.title;
  }
}

/// No row takes one of our own networks for a stranger.
TEST(Signatures, FitNoStableDiffusionNetwork) {
  for (const char* name :
       {"sd15", "sd15-inpainting", "sd21", "sdxl-base", "sdxl-refiner", "vae-standalone",
        "diffusers/sd15-unet", "diffusers/sdxl-unet", "diffusers/vae-kl-f8",
        "diffusers/text-encoder-clip-l", "diffusers/text-encoder-2-bigG"}) {
    const ManifestCheckpoint checkpoint{std::string(name)};
    EXPECT_TRUE(identify(*checkpoint).convertible) << name;
  }
}

/// Names of published files, a few of many.
struct Published {
  const char* what;
  std::vector<std::pair<const char*, Shape>> tensors;
  const char* architecture;
  const char* kind;
  const char* sentence;
};

const Published kPublished[] = {
    {"ip-adapter_sd15",
     {{"image_proj.proj.weight", {3072, 1024}},
      {"image_proj.norm.weight", {768}},
      {"ip_adapter.1.to_k_ip.weight", {320, 768}}},
     "",
     "ip-adapter",
     "an IP-Adapter"},
    {"ip-adapter-plus_sd15",
     {{"image_proj.latents", {1, 16, 768}},
      {"image_proj.proj_in.weight", {768, 1280}},
      {"ip_adapter.1.to_k_ip.weight", {320, 768}}},
     "",
     "ip-adapter",
     "an IP-Adapter Plus"},
    {"ip-adapter-full-face_sd15",
     {{"image_proj.proj.0.weight", {1280, 1280}},
      {"image_proj.proj.2.weight", {768, 1280}},
      {"image_proj.proj.3.weight", {768}},
      {"ip_adapter.1.to_v_ip.weight", {320, 768}}},
     "",
     "ip-adapter",
     "an IP-Adapter (full face)"},
    {"ip-adapter-faceid_sd15",
     {{"image_proj.proj.0.weight", {1024, 512}},
      {"image_proj.norm.weight", {768}},
      {"ip_adapter.0.to_q_lora.down.weight", {128, 320}},
      {"ip_adapter.0.to_q_lora.up.weight", {320, 128}}},
     "",
     "face-adapter",
     "an IP-Adapter FaceID"},
    {"ip-adapter-faceid-plusv2_sd15",
     {{"image_proj.proj.0.weight", {1024, 512}},
      {"image_proj.perceiver_resampler.proj_in.weight", {768, 1280}},
      {"ip_adapter.0.to_q_lora.up.weight", {320, 128}}},
     "",
     "face-adapter",
     "an IP-Adapter FaceID Plus"},
    {"control-lora-canny",
     {{"lora_controlnet", {1}},
      {"input_hint_block.0.weight", {16, 3, 3, 3}},
      {"input_blocks.4.1.transformer_blocks.0.attn1.to_q.down", {128, 640}},
      {"input_blocks.4.1.transformer_blocks.0.attn1.to_q.up", {640, 128}}},
     "",
     "control-lora",
     "a control LoRA"},
    {"controllllite_v01032064e_sdxl_canny",
     {{"lllite_unet_input_blocks_4_1_transformer_blocks_0_attn1_to_q.down.0.weight", {64, 640}},
      {"lllite_unet_input_blocks_4_1_transformer_blocks_0_attn1_to_q.conditioning1.0.weight",
       {16, 3, 4, 4}}},
     "sdxl-base",
     "control-lora",
     "a ControlNet-LLLite for Stable Diffusion XL base"},
    {"controlnet-union-sdxl",
     {{"controlnet_cond_embedding.conv_in.weight", {16, 3, 3, 3}},
      {"control_add_embedding.linear_1.weight", {1280, 1536}},
      {"task_embedding", {6, 320}},
      {"add_embedding.linear_1.weight", {1280, 2816}}},
     "sdxl-base",
     "controlnet-variant",
     "a ControlNet union (several conditions in one) for Stable Diffusion XL base"},
    {"v3_sd15_mm",
     {{"down_blocks.0.motion_modules.0.temporal_transformer.transformer_blocks.0.attention_blocks."
       "0.pos_encoder.pe",
       {1, 32, 320}}},
     "",
     "motion-module",
     "an AnimateDiff motion module"},
    {"v2_lora_ZoomIn",
     {{"down_blocks.0.motion_modules.0.temporal_transformer.transformer_blocks.0.attention_blocks."
       "0.processor.to_q_lora.down.weight",
       {128, 320}},
      {"down_blocks.0.motion_modules.0.temporal_transformer.transformer_blocks.0.attention_blocks."
       "0.processor.to_q_lora.up.weight",
       {320, 128}}},
     "",
     "motion-module",
     "a motion LoRA (AnimateDiff)"},
    {"t2iadapter_canny_sd15v2",
     {{"body.0.block1.weight", {320, 320, 3, 3}}, {"conv_in.weight", {320, 64, 3, 3}}},
     "",
     "t2i-adapter",
     "a T2I-Adapter"},
    {"RealESRGAN_x4plus",
     {{"params_ema.conv_first.weight", {64, 3, 3, 3}},
      {"params_ema.body.0.rdb1.conv1.weight", {32, 64, 3, 3}}},
     "esrgan",
     "upscaler",
     "a RealESRGAN upscaler"},
    {"realesr-general-x4v3",
     {{"params.body.0.weight", {64, 3, 3, 3}},
      {"params.body.0.bias", {64}},
      {"params.body.1.weight", {64}}},
     "esrgan-compact",
     "upscaler",
     "a compact RealESRGAN upscaler (SRVGG)"},
    {"4x-UltraSharp",
     {{"model.0.weight", {64, 3, 3, 3}}, {"model.1.sub.0.RDB1.conv1.0.weight", {32, 64, 3, 3}}},
     "esrgan",
     "upscaler",
     "an ESRGAN upscaler"},
    {"001_classicalSR_SwinIR",
     {{"params.conv_first.weight", {180, 3, 3, 3}},
      {"params.layers.0.residual_group.blocks.0.attn.qkv.weight", {540, 180}}},
     "swinir",
     "upscaler",
     "a SwinIR upscaler"},
    {"HAT-L_SRx4",
     {{"params_ema.layers.0.residual_group.blocks.0.conv_block.cab.0.weight", {60, 180, 3, 3}},
      {"params_ema.layers.0.residual_group.overlap_attn.qkv.weight", {540, 180}}},
     "hat",
     "upscaler",
     "a HAT upscaler"},
    {"DAT_x4",
     {{"params.layers.0.blocks.0.attn.attns.0.pos.pos_proj.weight", {12, 2}}},
     "dat",
     "upscaler",
     "a DAT upscaler"},
    {"GFPGANv1.4",
     {{"params_ema.stylegan_decoder.style_mlp.1.weight", {512, 512}},
      {"params_ema.toRGB.0.weight", {3, 512, 1, 1}}},
     "gfpgan",
     "face-restorer",
     "GFPGAN"},
    {"codeformer",
     {{"params_ema.fuse_convs_dict.16.scale.0.weight", {512, 512, 3, 3}},
      {"params_ema.quantize.embedding.weight", {1024, 256}},
      {"params_ema.encoder.blocks.0.weight", {64, 3, 3, 3}}},
     "codeformer",
     "face-restorer",
     "CodeFormer"},
    {"face_yolov8n",
     {{"model.0.conv.weight", {16, 3, 3, 3}}, {"model.2.cv1.conv.weight", {32, 32, 1, 1}}},
     "yolo",
     "detector",
     "a YOLO detector"},
    {"flux1-dev",
     {{"double_blocks.0.img_attn.qkv.weight", {9216, 3072}},
      {"single_blocks.0.linear1.weight", {21504, 3072}},
      {"img_in.weight", {3072, 64}},
      {"guidance_in.in_layer.weight", {3072, 256}},
      {"time_in.in_layer.weight", {3072, 256}}},
     "flux",
     "other-model",
     "Flux (dev: it takes a guidance scale)"},
    {"flux1-schnell",
     {{"double_blocks.0.img_attn.qkv.weight", {9216, 3072}},
      {"single_blocks.0.linear1.weight", {21504, 3072}},
      {"time_in.in_layer.weight", {3072, 256}}},
     "flux",
     "other-model",
     "Flux (schnell: it takes no guidance scale)"},
    {"flux1-dev-bnb-nf4",
     {{"model.diffusion_model.double_blocks.0.img_attn.qkv.weight", {14155776, 1}},
      {"model.diffusion_model.double_blocks.0.img_attn.qkv.weight.absmax", {442368}},
      {"model.diffusion_model.double_blocks.0.img_attn.qkv.weight.quant_state.bitsandbytes__nf4",
       {82}},
      {"model.diffusion_model.single_blocks.0.linear1.weight", {33030144, 1}},
      {"model.diffusion_model.guidance_in.in_layer.weight", {3072, 256}}},
     "flux",
     "other-model",
     "Flux (dev: it takes a guidance scale) with 4-bit weights of bitsandbytes"},
    {"sd3.5_large",
     {{"model.diffusion_model.joint_blocks.0.x_block.attn.qkv.weight", {7296, 2432}},
      {"model.diffusion_model.x_embedder.proj.weight", {2432, 16, 2, 2}}},
     "sd3",
     "other-model",
     "Stable Diffusion 3.5 large"},
    {"sd3.5_medium",
     {{"model.diffusion_model.joint_blocks.0.x_block.attn.qkv.weight", {4608, 1536}},
      {"model.diffusion_model.joint_blocks.0.x_block.attn2.qkv.weight", {4608, 1536}}},
     "sd3",
     "other-model",
     "Stable Diffusion 3.5 medium"},
    {"AuraFlow, diffusers",
     {{"joint_transformer_blocks.0.attn.to_q.weight", {3072, 3072}},
      {"single_transformer_blocks.0.attn.to_q.weight", {3072, 3072}}},
     "auraflow",
     "other-model",
     "AuraFlow"},
    {"Sana, diffusers",
     {{"caption_projection.linear_1.weight", {2240, 2304}},
      {"transformer_blocks.0.ff.conv_inverted.weight", {11200, 2240, 1, 1}},
      {"transformer_blocks.0.scale_shift_table", {6, 2240}}},
     "sana",
     "other-model",
     "Sana"},
    {"wan_2.1_vae",
     {{"decoder.upsamples.0.residual.0.gamma", {384, 1, 1, 1}},
      {"decoder.middle.0.residual.0.gamma", {384, 1, 1, 1}}},
     "wan-vae",
     "other-vae",
     "the autoencoder of Wan or Qwen-Image"},
    {"hunyuan video vae",
     {{"decoder.conv_in.conv.weight", {512, 16, 3, 3, 3}},
      {"decoder.mid.block_1.conv1.conv.weight", {512, 512, 3, 3, 3}},
      {"encoder.down.0.block.0.conv1.conv.weight", {128, 128, 3, 3, 3}}},
     "video-vae",
     "other-vae",
     "a video autoencoder"},
    {"taesd3_decoder",
     {{"1.weight", {64, 16, 3, 3}}, {"3.conv.0.weight", {64, 64, 3, 3}}},
     "taesd",
     "other-vae",
     "a tiny autoencoder with 16 latent channels (TAESD3, TAEF1)"},
    {"vaeapprox-sdxl",
     {{"conv1.weight", {8, 4, 7, 7}}, {"conv8.weight", {3, 8, 3, 3}}},
     "vae-approx",
     "preview",
     "a preview of latents (webui's VAE-approx)"},
    {"optimizer.bin",
     {{"state.0.exp_avg", {320, 768}}, {"state.0.exp_avg_sq", {320, 768}}},
     "",
     "training-state",
     "the state of an optimizer"},
    {"photomaker-v1",
     {{"id_encoder.visual_projection_2.weight", {1280, 1024}},
      {"id_encoder.vision_model.encoder.layers.0.mlp.fc1.weight", {4096, 1024}},
      {"lora_weights.unet.down_blocks.1.attentions.0.lora_A.weight", {64, 640}}},
     "sdxl-base",
     "face-adapter",
     "PhotoMaker (an image encoder and a LoRA) for Stable Diffusion XL base"},
    {"sam_vit_h_4b8939",
     {{"image_encoder.patch_embed.proj.weight", {1280, 3, 16, 16}},
      {"mask_decoder.iou_token.weight", {1, 256}},
      {"prompt_encoder.pe_layer.positional_encoding_gaussian_matrix", {2, 128}}},
     "sam",
     "segmenter",
     "SAM, a segmenter"},
    {"a kohya LoCon",
     {{"lora_unet_down_blocks_0_attentions_0_transformer_blocks_0_attn2_to_k.lora_down.weight",
       {32, 768}},
      {"lora_unet_down_blocks_0_resnets_0_conv1.lora_down.weight", {8, 320, 3, 3}},
      {"lora_unet_down_blocks_0_resnets_0_conv1.lora_mid.weight", {8, 8, 3, 3}}},
     "sd1",
     "lora",
     "a LoCon adapter with Tucker cores (LyCORIS) for Stable Diffusion 1.x, ranks 8 to 32"},
    {"a Flux LoRA",
     {{"transformer.single_transformer_blocks.0.attn.to_q.lora_A.weight", {16, 3072}}},
     "flux",
     "lora",
     "a LoRA in diffusers' layout for Flux, rank 16"},
};

TEST(Signatures, NamePublishedFiles) {
  for (const Published& file : kPublished) {
    std::vector<weights::TensorEntry> tensors;
    for (const auto& [name, shape] : file.tensors) tensors.push_back(entry(name, shape));
    const Identity identity = identify(tensors, {});
    EXPECT_EQ(identity.architecture, file.architecture) << file.what;
    EXPECT_EQ(identity.kind, file.kind) << file.what;
    EXPECT_EQ(identity.sentence, file.sentence) << file.what;
  }
}

TEST(Signatures, SayTheCommandOfWhatWorksBesideACheckpoint) {
  const std::vector<weights::TensorEntry> lora{
      entry("lora_unet_mid_block_attentions_0_transformer_blocks_0_attn2_to_k.lora_down.weight",
            {4, 768})};
  EXPECT_EQ(identify(lora, {}).next, "sinter convert CHECKPOINT OUT --lora FILE");
  const std::vector<weights::TensorEntry> flux{
      entry("lora_unet_double_blocks_0_img_attn_qkv.lora_down.weight", {4, 3072})};
  EXPECT_EQ(identify(flux, {}).next, "");
  EXPECT_EQ(identify(flux, {}).advice, kForeign);
}

TEST(Signatures, LeaveACheckpointWithAnOptimizerInItACheckpoint) {
  Manifest manifest = arch_test::load_manifest("tiny/sd1");
  manifest.add("optimizer_states.0.state.0.exp_avg", {4});
  const ManifestCheckpoint checkpoint(manifest);
  EXPECT_EQ(identify(*checkpoint).kind, "checkpoint");
}

TEST(Signatures, TellFewStepModelsByTheirMetadata) {
  Manifest manifest = arch_test::load_manifest("tiny/sdxl-base");
  manifest.metadata["modelspec.title"] = "SDXL Turbo";
  const ManifestCheckpoint checkpoint(manifest);
  EXPECT_NE(identify(*checkpoint).purpose.find("its metadata say 'turbo'"), std::string::npos);
}

}  // namespace
}  // namespace sinter::arch
