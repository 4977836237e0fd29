#include "sinter/diagnose/log/component.h"

#include <re2/re2.h>

#include <array>
#include <memory>
#include <vector>

namespace sinter::diagnose::log {
namespace {

struct Row {
  std::string_view component;
  std::string_view pattern;
};

// Keys of checkpoints, class names of the libraries, node names.
constexpr std::array kMessages{
    Row{"lora", R"((?i)\blora|lycoris|_lora|lora_(?:unet|te|up|down)|loha|lokr)"},
    Row{"controlnet",
        R"((?i)controlnet|control_model\.|ControlLDM\b.{0,80}control_model|control_net|t2i_?adapter|input_hint_block|controlnet_cond_embedding)"},
    Row{"text encoder",
        R"(cond_stage_model|conditioner\.embedders|text_encoder|text_model\.|CLIPText\w*|\bT5\w*Encoder\w*|FrozenCLIP|FrozenOpenCLIP|transformer\.resblocks|te[12]?_text_model|text_projection|Tokenizer|token_embedding|position_ids|\bCLIP\b)"},
    Row{"vae",
        R"(first_stage_model|AutoencoderKL|AutoencoderTiny|\bVAE\b|\bvae\b|post_quant_conv|decoder\.(?:up|mid|conv)|encoder\.(?:down|conv)|VQModel|vae_(?:decoder|encoder))"},
    Row{"unet",
        R"(model\.diffusion_model|UNet\w*|\bUnet\b|\bunet\b|input_blocks\.|output_blocks\.|middle_block\.|down_blocks\.|up_blocks\.|mid_block\.|time_embed|label_emb|conv_in\.weight|proj_in|attn[12]\.to_[qkv]|\bDiT\b|SD3Transformer\w*|FluxTransformer\w*|LatentDiffusion|double_blocks|joint_blocks)"},
};

// What a call executes: a module's own code.
constexpr std::array kCode{
    Row{"vae",
        R"(first_stage_model|\bvae\b|self\.vae|vae\.(?:encode|decode)|vae_decode|vae_encode|decode_latents|encode_first_stage|decode_first_stage|autoencoder|AutoencoderKL|VAEDecode|VAEEncode|decode_tiled|VideoVAE|_vae\b|samples_to_image)"},
    Row{"text encoder",
        R"(cond_stage_model|text_encoder|text_model|CLIPText|modeling_clip|sd_clip|sd1_clip|sdxl_clip|encode_prompt|_encode_prompt|encode_from_tokens|encode_token_weights|get_learned_conditioning|open_clip|sd_hijack_clip|sd_hijack_open_clip|prompt_parser|FrozenCLIP|FrozenOpenCLIP|modeling_t5|t5_encoder|clip_model|clip\.encode|cond_stage|compel|encode_with_transformers|lpw_stable_diffusion|token_embedding|text_encoder_2)"},
    Row{"controlnet",
        R"(controlnet|control_model|cldm|ControlNet|control_net|t2iadapter|apply_controlnet)"},
    Row{"lora",
        R"(\blora\w*|LoRA|lycoris|lora_(?:down|up|A|B)|load_lora|networks[/\\]lora|loraloader|peft[/\\]tuners)"},
    Row{"unet",
        R"(unet|UNet|diffusion_model|openaimodel|apply_model|noise_pred|denoiser|DiffusionWrapper|transformer_flux|transformer_sd3|model_function|mmdit|pred_noise|model_output\s*=)"},
};

// Callers that lead to the network as a rule.
constexpr std::array kCallers{
    Row{"unet",
        R"(ddpm\.py|p_losses|k_diffusion|sd_samplers|samplers\.py|KSampler|ksampler|CFGDenoiser|CFGGuider|sample_\w+|sampling\.py|plms|ddim\.py|common_ksampler|p_sample|external\.py|unipc|dpm_solver)"},
};

bool has(const std::string& text, std::string_view pattern) {
  // A few dozen patterns for the whole program; compiled once.
  static std::vector<std::pair<const char*, std::unique_ptr<RE2>>> cache;
  for (const auto& [key, expression] : cache)
    if (key == pattern.data()) return RE2::PartialMatch(text, *expression);
  cache.emplace_back(pattern.data(),
                     std::make_unique<RE2>(re2::StringPiece(pattern.data(), pattern.size())));
  return RE2::PartialMatch(text, *cache.back().second);
}

/// The file's name, with its folder where that is one of a library's for one kind of network.
std::string tail_of(const std::string& path) {
  static const RE2 kKind(
      R"((?:^|[/\\])((?:autoencoders|unets|controlnets|clip|t5|text_encoders)[/\\][^/\\]+)$)");
  std::string tail;
  if (RE2::PartialMatch(path, kKind, &tail)) return tail;
  const std::size_t slash = path.find_last_of("/\\");
  return slash == path.npos ? path : path.substr(slash + 1);
}

/// Adapters and hooks replace a layer's forward and call the original one: they stand in every
/// stack and are at fault in few.
bool is_wrapper(const Frame& frame) {
  static const RE2 kWrapper(
      R"(org_forward|orig_fn|original_forward|originals?\.|orig_forward|org_module|self\.original\(|_forward\(self, input|return forward_call|_call_impl|func\(\*args|executor\.execute|wrapped_forward|call_function|\bfn\(\*args|super\(\)\.forward)");
  return RE2::PartialMatch(frame.source, kWrapper);
}

}  // namespace

std::string_view component_in_message(std::string_view text) {
  const std::string copy(text);
  for (const Row& row : kMessages)
    if (has(copy, row.pattern)) return row.component;
  return {};
}

Component component_in_stack(const Exception& exception) {
  Component caller;
  for (auto frame = exception.frames.rbegin(); frame != exception.frames.rend(); ++frame) {
    if (is_wrapper(*frame)) continue;
    const std::string place = frame->source + "\n" + frame->function + "\n" + tail_of(frame->path);
    for (const Row& row : kCode)
      if (has(place, row.pattern)) return {row.component, true};
    if (caller.name.empty()) {
      for (const Row& row : kCallers)
        if (has(place, row.pattern)) caller = {row.component, false};
    }
  }
  return caller;
}

}  // namespace sinter::diagnose::log
