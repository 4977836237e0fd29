#include "sinter/arch/signatures.h"

#include <algorithm>
#include <string>
#include <vector>

namespace sinter::arch {
namespace {

constexpr std::string_view kAdapter =
    "an adapter changes a checkpoint and cannot stand alone; convert the checkpoint it was made "
    "for";
constexpr std::string_view kCompanion =
    "it works beside a checkpoint and is no picture model by itself; convert the checkpoint";
constexpr std::string_view kUNetFile = "model.diffusion_model.";

// Order matters: adapters carry the names of the networks they change, so they come first.
constexpr Signature kSignatures[] = {
    {"a LoHa adapter (LyCORIS)", "lora", "", {".hada_w1_a"}, "", kAdapter},
    {"a LoKr adapter (LyCORIS)", "lora", "", {".lokr_w"}, "", kAdapter},
    {"an OFT adapter (LyCORIS)", "lora", "", {".oft_blocks"}, "", kAdapter},
    {"an (IA)^3 adapter (LyCORIS)", "lora", "", {".on_input"}, "", kAdapter},
    {"a DoRA adapter", "lora", "", {".dora_scale"}, "", kAdapter},
    {"a control LoRA (a ControlNet as differences from a UNet)",
     "controlnet",
     "",
     {"^lora_controlnet"},
     "",
     kCompanion},
    {"a LoRA in kohya's layout", "lora", "", {".lora_down.weight", "lora_"}, "", kAdapter},
    {"a LoRA in diffusers' layout", "lora", "", {".lora_A."}, "", kAdapter},
    {"a LoRA in diffusers' layout", "lora", "", {".lora.up."}, "", kAdapter},
    {"a LoRA in diffusers' old layout", "lora", "", {"_lora.up.weight"}, "", kAdapter},
    {"weight differences in kohya's layout (LyCORIS)", "lora", "", {"^lora_unet_"}, "", kAdapter},
    {"weight differences in kohya's layout (LyCORIS)", "lora", "", {"^lora_te"}, "", kAdapter},

    // Relatives of the ControlNet, which share its names and add to them.
    {"a ControlNet for Flux",
     "controlnet",
     "flux",
     {"controlnet_blocks.", "single_transformer_blocks."},
     "",
     kCompanion},
    {"a ControlNet for Flux",
     "controlnet",
     "flux",
     {"controlnet_blocks.", "controlnet_x_embedder."},
     "",
     kCompanion},
    {"a ControlNet for Stable Diffusion 3",
     "controlnet",
     "sd3",
     {"controlnet_blocks.", "pos_embed_input."},
     "",
     kCompanion},
    {"a ControlNet union (several kinds of control in one)",
     "controlnet",
     "",
     {"task_embedding", "control_add_embedding."},
     "",
     kCompanion},
    {"a ControlNet-XS", "controlnet", "", {"enc_zero_convs_out."}, "", kCompanion},
    {"a ControlNet-XS", "controlnet", "", {"control_to_base_for_conv_in."}, "", kCompanion},
    {"a ControlNet-LLLite", "controlnet", "", {"^lllite_"}, "", kCompanion},
    {"a SparseCtrl (a ControlNet for AnimateDiff)",
     "controlnet",
     "",
     {"motion_modules.", "controlnet_cond_embedding."},
     "",
     kCompanion},
    {"a BrushNet", "controlnet", "", {"brushnet_down_blocks."}, "", kCompanion},
    {"a T2I-Adapter", "other", "", {"adapter.body."}, "", kCompanion},
    {"a T2I-Adapter", "other", "", {"^body.#.block1."}, "", kCompanion},
    {"an IP-Adapter", "other", "", {"^ip_adapter."}, kUNetFile, kCompanion},
    {"an IP-Adapter", "other", "", {"^image_proj."}, kUNetFile, kCompanion},
    {"an AnimateDiff motion module", "other", "", {"motion_modules."}, "^conv_in.", kCompanion},
    {"a hypernetwork", "other", "", {"^#.#.linear"}, "", kCompanion},
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
    {"Stable Diffusion 3", "other", "sd3", {"transformer_blocks.#.ff_context."}, "", kForeign},
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
    {"Wan", "other", "wan", {"patch_embedding.", "text_embedding.#."}, "", kForeign},
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
    {"a UNet told its guidance scale (a latent consistency model)",
     "other",
     "",
     {"time_embedding.cond_proj."},
     "",
     kForeign},
    {"a UNet told its guidance scale (a latent consistency model)",
     "other",
     "",
     {"time_embed.cond_proj."},
     "",
     kForeign},
    {"a UNet conditioned on classes", "other", "", {"class_embedding."}, "text_model.", kForeign},
    {"a UNet conditioned on classes", "other", "", {"label_emb.weight"}, "", kForeign},

    {"a tiny autoencoder (TAESD)", "vae", "taesd", {"encoder.layers.#.conv."}, "", kForeign},
    {"a tiny autoencoder (TAESD)", "vae", "taesd", {"decoder.layers.#.conv."}, "", kForeign},
    {"a tiny autoencoder (TAESD)", "vae", "taesd", {"^#.conv.#."}, "", kForeign},
    {"a T5 text encoder", "text-encoder", "t5", {"layer.#.SelfAttention.q."}, kUNetFile, kForeign},
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
    {"an ESRGAN upscaler", "other", "esrgan", {"^model.#.sub."}, "", kForeign},
    {"an ESRGAN upscaler", "other", "esrgan", {".rdb1.conv1."}, "", kForeign},
    {"an ESRGAN upscaler", "other", "esrgan", {".RDB1.conv1."}, "", kForeign},
    {"a SwinIR upscaler", "other", "swinir", {".residual_group.blocks."}, "", kForeign},
    {"a language model", "other", "language-model", {"model.layers.#.self_attn."}, "", kForeign},
};

/// The name with every number between dots as '#': the blocks of a network then read alike.
std::string outline(std::string_view name) {
  std::string result;
  while (!name.empty()) {
    const std::string_view segment = name.substr(0, name.find('.'));
    const bool number = !segment.empty() &&
                        std::ranges::all_of(segment, [](char c) { return c >= '0' && c <= '9'; });
    result += number ? std::string_view("#") : segment;
    name.remove_prefix(segment.size());
    if (!name.empty()) {
      result += '.';
      name.remove_prefix(1);
    }
  }
  return result;
}

/// Outlines of all names, each once: a hundred where there are thousands of names.
std::vector<std::string> outlines(const NameIndex& names) {
  std::vector<std::string> result;
  result.reserve(names.all().size());
  for (const NamedTensor& entry : names.all()) result.push_back(outline(entry.name));
  std::ranges::sort(result);
  const auto repeated = std::ranges::unique(result);
  result.erase(repeated.begin(), repeated.end());
  return result;
}

bool occurs(const std::vector<std::string>& names, std::string_view mark) {
  const bool anchored = mark.starts_with('^');
  if (anchored) mark.remove_prefix(1);
  return std::ranges::any_of(names, [&](const std::string& name) {
    return anchored ? name.starts_with(mark) : name.find(mark) != name.npos;
  });
}

bool fits(const Signature& signature, const std::vector<std::string>& names) {
  const bool marked = std::ranges::all_of(
      signature.marks, [&](std::string_view mark) { return mark.empty() || occurs(names, mark); });
  return marked && (signature.unless.empty() || !occurs(names, signature.unless));
}

}  // namespace

const Signature* find_signature(const NameIndex& names) {
  const std::vector<std::string> all = outlines(names);
  const auto found = std::ranges::find_if(
      kSignatures, [&](const Signature& signature) { return fits(signature, all); });
  return found == std::end(kSignatures) ? nullptr : found;
}

}  // namespace sinter::arch
