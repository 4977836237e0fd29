#include "sinter/arch/signatures.h"

#include <algorithm>

namespace sinter::arch {
namespace {

constexpr std::string_view kAdapter =
    "an adapter changes a checkpoint and cannot stand alone; convert the checkpoint it was made "
    "for";
constexpr std::string_view kCompanion =
    "it works beside a checkpoint and is no picture model by itself; convert the checkpoint";
constexpr std::string_view kForeign =
    "sinter converts Stable Diffusion 1.x, 2.x and XL and their relatives";
constexpr std::string_view kUNetFile = "model.diffusion_model.";

// Order matters: adapters carry the names of the networks they change, so they come first.
constexpr Signature kSignatures[] = {
    {"a LoHa adapter (LyCORIS)", "lora", "", {".hada_w1_a"}, "", kAdapter},
    {"a LoKr adapter (LyCORIS)", "lora", "", {".lokr_w"}, "", kAdapter},
    {"an OFT adapter (LyCORIS)", "lora", "", {".oft_blocks"}, "", kAdapter},
    {"an (IA)^3 adapter (LyCORIS)", "lora", "", {".on_input"}, "", kAdapter},
    {"a DoRA adapter", "lora", "", {".dora_scale"}, "", kAdapter},
    {"a control LoRA", "controlnet", "", {"^lora_controlnet"}, "", kAdapter},
    {"a LoRA in kohya's layout", "lora", "", {".lora_down.weight", "lora_"}, "", kAdapter},
    {"a LoRA in diffusers' layout", "lora", "", {".lora_A."}, "", kAdapter},
    {"a LoRA in diffusers' layout", "lora", "", {".lora.up."}, "", kAdapter},
    {"a LoRA in diffusers' old layout", "lora", "", {"_lora.up.weight"}, "", kAdapter},
    {"weight differences in kohya's layout (LyCORIS)", "lora", "", {"^lora_unet_"}, "", kAdapter},
    {"weight differences in kohya's layout (LyCORIS)", "lora", "", {"^lora_te"}, "", kAdapter},

    {"a ControlNet in the original layout",
     "controlnet",
     "",
     {"^control_model."},
     kUNetFile,
     kCompanion},
    {"a ControlNet in the original layout",
     "controlnet",
     "",
     {"input_hint_block."},
     kUNetFile,
     kCompanion},
    {"a ControlNet in diffusers' layout",
     "controlnet",
     "",
     {"controlnet_cond_embedding."},
     "",
     kCompanion},
    {"a ControlNet in diffusers' layout",
     "controlnet",
     "",
     {"controlnet_down_blocks."},
     "",
     kCompanion},
    {"a T2I-Adapter", "other", "", {"adapter.body."}, "", kCompanion},
    {"a T2I-Adapter", "other", "", {"^body.0.block1."}, "", kCompanion},
    {"an IP-Adapter", "other", "", {"^ip_adapter."}, kUNetFile, kCompanion},
    {"an IP-Adapter", "other", "", {"^image_proj."}, kUNetFile, kCompanion},
    {"an AnimateDiff motion module", "other", "", {"motion_modules."}, "^conv_in.", kCompanion},
    {"a hypernetwork", "other", "sd1", {"^768.0.linear"}, "", kCompanion},
    {"a hypernetwork", "other", "sd2", {"^1024.0.linear"}, "", kCompanion},
    {"a textual inversion embedding",
     "embedding",
     "sdxl-base",
     {"^clip_g", "^clip_l"},
     ".",
     kCompanion},
    {"a textual inversion embedding", "embedding", "", {"^emb_params"}, "", kCompanion},
    {"a textual inversion embedding", "embedding", "", {"^string_to_param"}, "", kCompanion},

    {"Stable Video Diffusion", "other", "svd", {"time_stack."}, "", kForeign},
    {"Chroma", "other", "chroma", {"distilled_guidance_layer."}, "", kForeign},
    {"HunyuanVideo", "other", "hunyuan-video", {"individual_token_refiner."}, "", kForeign},
    {"Flux", "other", "flux", {"double_blocks.", "single_blocks."}, "", kForeign},
    {"Flux", "other", "flux", {"single_transformer_blocks."}, "", kForeign},
    {"Stable Diffusion 3", "other", "sd3", {"joint_blocks."}, "", kForeign},
    {"Stable Diffusion 3", "other", "sd3", {"transformer_blocks.0.ff_context."}, "", kForeign},
    {"Stable Cascade (stage C)", "other", "cascade", {"clip_txt_mapper."}, "", kForeign},
    {"Stable Cascade (stage C)",
     "other",
     "cascade",
     {"clip_txt_pooled_mapper.", "clip_img_mapper."},
     "",
     kForeign},
    {"Stable Cascade (stage B)", "other", "cascade", {"effnet_mapper."}, "", kForeign},
    {"LTX-Video", "other", "ltx-video", {"patchify_proj."}, "", kForeign},
    {"PixArt", "other", "pixart", {"adaln_single.", "caption_projection."}, "", kForeign},
    {"PixArt", "other", "pixart", {"y_embedder.y_proj.", "t_block."}, "", kForeign},
    {"Hunyuan-DiT", "other", "hunyuan-dit", {"mlp_t5."}, "", kForeign},
    {"AuraFlow", "other", "auraflow", {"double_layers.", "cond_seq_linear"}, "", kForeign},
    {"Lumina", "other", "lumina", {"cap_embedder."}, "", kForeign},
    {"Wan", "other", "wan", {"patch_embedding.", "text_embedding.0."}, "", kForeign},
    {"Kandinsky 2", "other", "kandinsky", {"add_embedding.image_norm"}, "", kForeign},
    {"Kandinsky 2", "other", "kandinsky", {"encoder_hid_proj.image"}, "", kForeign},
    {"Kolors", "other", "kolors", {"encoder_hid_proj."}, "", kForeign},
    {"Stable unCLIP (Stable Diffusion 2)",
     "other",
     "sd2-unclip",
     {"noise_augmentor."},
     "",
     kForeign},
    {"Stable Diffusion 2 with depth", "other", "sd2-depth", {"^depth_model."}, "", kForeign},
    {"the Stable Diffusion x4 upscaler",
     "other",
     "sd-x4-upscaler",
     {"low_scale_model."},
     "",
     kForeign},
    {"a UNet conditioned on classes", "other", "", {"class_embedding."}, "text_model.", kForeign},
    {"a UNet conditioned on classes", "other", "", {"label_emb.weight"}, "", kForeign},

    {"a tiny autoencoder (TAESD)", "vae", "taesd", {"encoder.layers.1.conv."}, "", kForeign},
    {"a tiny autoencoder (TAESD)", "vae", "taesd", {"decoder.layers.3.conv."}, "", kForeign},
    {"a tiny autoencoder (TAESD)", "vae", "taesd", {"^1.conv.0."}, "", kForeign},
    {"a T5 text encoder", "text-encoder", "t5", {"layer.0.SelfAttention.q."}, kUNetFile, kForeign},
    {"CLIP's image tower",
     "other",
     "clip-vision",
     {"vision_model.encoder."},
     "text_model.",
     kForeign},
    {"CLIP's image tower",
     "other",
     "clip-vision",
     {"^visual.transformer."},
     "token_embedding",
     kForeign},
    {"an ESRGAN upscaler", "other", "esrgan", {"^model.1.sub."}, "", kForeign},
    {"an ESRGAN upscaler", "other", "esrgan", {".rdb1.conv1."}, "", kForeign},
    {"an ESRGAN upscaler", "other", "esrgan", {".RDB1.conv1."}, "", kForeign},
    {"a SwinIR upscaler", "other", "swinir", {".residual_group.blocks."}, "", kForeign},
    {"a language model", "other", "language-model", {"model.layers.0.self_attn."}, "", kForeign},
};

bool occurs(const NameIndex& names, std::string_view mark) {
  if (mark.starts_with('^')) return names.has_below(mark.substr(1));
  return std::ranges::any_of(names.all(), [&](const NamedTensor& entry) {
    return entry.name.find(mark) != std::string_view::npos;
  });
}

bool fits(const Signature& signature, const NameIndex& names) {
  const bool marked = std::ranges::all_of(
      signature.marks, [&](std::string_view mark) { return mark.empty() || occurs(names, mark); });
  return marked && (signature.unless.empty() || !occurs(names, signature.unless));
}

}  // namespace

const Signature* find_signature(const NameIndex& names) {
  const auto found = std::ranges::find_if(
      kSignatures, [&](const Signature& signature) { return fits(signature, names); });
  return found == std::end(kSignatures) ? nullptr : found;
}

}  // namespace sinter::arch
