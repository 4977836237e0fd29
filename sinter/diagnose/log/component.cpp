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
        R"(cond_stage_model|conditioner\.embedders|text_encoder|text_model\.|CLIPText\w*|\bT5\w*Encoder\w*|FrozenCLIP|FrozenOpenCLIP|transformer\.resblocks|te[12]?_text_model|text_projection|Tokenizer|token_embedding|position_ids|vocab\.json|merges\.txt|clip-vit-|CLIP-ViT-|spiece\.model|tokenizer|\bCLIP\b)"},
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
        R"(cond_stage_model|text_encoder|text_model|CLIPText|modeling_clip|sd_clip|sd1_clip|sdxl_clip|encode_prompt|_encode_prompt|encode_from_tokens|encode_token_weights|get_learned_conditioning|open_clip|sd_hijack_clip|sd_hijack_open_clip|prompt_parser|FrozenCLIP|FrozenOpenCLIP|modeling_t5|t5_encoder|clip_model|clip\.encode|cond_stage|compel|encode_with_transformers|lpw_stable_diffusion|token_embedding|text_encoder_2|TextEncoder|TextProcessing|EncodePrompt|PromptEmbeds)"},
    Row{"controlnet",
        R"(controlnet|control_model|cldm|ControlNet|control_net|t2iadapter|apply_controlnet|annotator|controlnet_aux)"},
    Row{"lora",
        R"(\blora\w*|LoRA|lycoris|lora_(?:down|up|A|B)|load_lora|networks[/\\]lora|loraloader|peft[/\\]tuners)"},
    Row{"unet",
        R"(unet|UNet|diffusion_model|openaimodel|apply_model|noise_pred|denoiser|DiffusionWrapper|transformer_flux|transformer_sd3|model_function|mmdit|pred_noise|model_output\s*=)"},
};

// What programs print before they fail: the node that runs, the file that is loaded, the stage.
constexpr std::array kContext{
    Row{"vae",
        R"(VAE(?:Decode|Encode)\w*|\[Tiled VAE\]|[Dd]ecoding (?:latents|image)|vae_?(?:decoder|encoder)?\.(?:engine|plan|trt|onnx)|[/\\]vae(?:_decoder|_encoder)?[/\\]|VAE (?:decod|encod)ing)"},
    Row{"text encoder",
        R"(CLIPTextEncode\w*|DualCLIPLoader|[/\\]text_encoder(?:_2)?[/\\]|(?:clip|text_encoder)2?\.(?:engine|plan|trt|onnx)|Requested to load (?:\w*CLIP\w*|\w*TE\w*Model\w*|\w*T5\w*))"},
    Row{"controlnet",
        R"(ControlNet\w*Apply\w*|ControlNetLoader|[/\\]controlnet[/\\]|(?:[Ll]oading|running) (?:[Cc]ontrol[Nn]et|preprocessor))"},
    Row{"unet",
        R"(KSampler\w*|SamplerCustom\w*|unet\w*\.(?:engine|plan|trt|onnx)|[/\\]unet[/\\]|Exporting (?:the )?(?:UNet|unet)|unet_?\w* to ONNX)"},
    Row{"lora", R"(Lora(?:Loader)?\w*Node|LoraLoader\w*|Loading (?:LoRA|lora) )"},
};

// Callers that lead to the network as a rule.
constexpr std::array kCallers{
    Row{"unet",
        R"(ddpm\.py|p_losses|k_diffusion|sd_samplers|samplers\.py|KSampler|ksampler|CFGDenoiser|CFGGuider|sample_\w+|sampling\.py|plms|ddim\.py|common_ksampler|export_onnx|export_unet|exporter\.py|tensorrt_convert|p_sample|external\.py|unipc|dpm_solver|attention_processor|attention\.py|CrossAttention|BasicTransformerBlock|SpatialTransformer|sd_hijack_optimizations|transformer_2d|optimized_attention|accelerator\.backward|loss\.backward|optimizer\.step)"},
    Row{"loader",
        R"(load_model_weights|load_checkpoint|load_state_dict|from_pretrained|from_single_file|sd_models\.py|load_file\(|safe_open|torch\.load|load_torch_file)"},
};

const char* match_of(const RE2& expression, const std::string& text) {
  re2::StringPiece found;
  return expression.Match(text, 0, text.size(), RE2::UNANCHORED, &found, 1) ? found.data()
                                                                            : nullptr;
}

/// Where a pattern begins in a text; null where it is not.
const char* find(const std::string& text, std::string_view pattern) {
  // A few dozen patterns for the whole program; compiled once.
  static std::vector<std::pair<const char*, std::unique_ptr<RE2>>> cache;
  for (const auto& [key, expression] : cache)
    if (key == pattern.data()) return match_of(*expression, text);
  cache.emplace_back(pattern.data(),
                     std::make_unique<RE2>(re2::StringPiece(pattern.data(), pattern.size())));
  return match_of(*cache.back().second, text);
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
    if (find(copy, row.pattern) != nullptr) return row.component;
  return {};
}

/// The row whose pattern comes first in a text.
template <typename Rows>
std::string_view first_in(const std::string& text, const Rows& rows) {
  std::string_view found;
  const char* place = nullptr;
  for (const Row& row : rows) {
    const char* at = find(text, row.pattern);
    if (at != nullptr && (place == nullptr || at < place)) {
      place = at;
      found = row.component;
    }
  }
  return found;
}

Component component_in_stack(const Exception& exception) {
  Component caller;
  for (auto frame = exception.frames.rbegin(); frame != exception.frames.rend(); ++frame) {
    if (is_wrapper(*frame)) continue;
    for (const std::string& place : {frame->source, frame->function, tail_of(frame->path)}) {
      if (const auto name = first_in(place, kCode); !name.empty()) return {name, true};
      if (caller.name.empty()) caller.name = first_in(place, kCallers);
    }
  }
  return caller;
}

std::string_view component_in_path(const std::string& text) {
  static constexpr std::array kPaths{
      Row{"text encoder", R"([/\\](?:text_encoder(?:_2)?|tokenizer(?:_2)?|clip)[/\\])"},
      Row{"vae", R"([/\\](?:vae(?:_decoder|_encoder)?)[/\\])"},
      Row{"controlnet", R"([/\\]controlnet[/\\])"},
      Row{"unet", R"([/\\](?:unet|diffusion_models)[/\\])"},
  };
  return first_in(text, kPaths);
}

std::string_view component_in_context(const std::vector<Record>& records, std::size_t record) {
  constexpr std::size_t kLines = 16;
  const std::size_t end = record > kLines ? record - kLines : 0;
  for (std::size_t i = record; i-- > end;) {
    if (const auto name = first_in(records[i].text, kContext); !name.empty()) return name;
  }
  return {};
}

}  // namespace sinter::diagnose::log
