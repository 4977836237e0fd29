#include "sinter/diagnose/log/component.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace sinter::diagnose::log {
namespace {

struct Row {
  std::string_view component;
  std::string_view pattern;
};

/// How a part of a pipeline is called in each kind of place.
struct Part {
  std::string_view component;
  std::string_view keys;     // weights and classes, in messages
  std::string_view calls;    // functions and variables, in source lines and names of functions
  std::string_view files;    // source files of the known programs, with '/'
  std::string_view stages;   // nodes, progress lines and files that programs name before they fail
  std::string_view folders;  // of a path in a message
};

// A message's keys are tried in this order: adapters carry the names of the layers that they adapt.
constexpr std::
    array
        kParts{
            Part{
                .component = "lora",
                .keys =
                    R"((?i)\blora|lycoris|_lora\b|lora_(?:unet|te|up|down)|\bloha|\blokr|\bhada_)",
                .calls = R"((?i)\blora\w*|_lora\w*|LoRA|lycoris|\bloha|\blokr)",
                .files =
                    R"((?:^|/)lora\w*\.py$|networks/(?:lora|lycoris|oft|dylora|network)\w*\.py|lycoris/|peft/tuners/|weight_adapter/|/Lora/)",
                .stages =
                    R"(Lora(?:Loader)?\w*Node|Lora\w*Load\w*|Load(?:er)?\w*Lora\w*|Loading (?:LoRA|lora)\b|loading lora\b)",
                .folders = R"(/(?:loras?|lycoris)/)"},
            Part{
                .component = "controlnet",
                .keys =
                    R"((?i)controlnet|control_model\.|control_net|t2i_?adapter|input_hint_block|controlnet_cond_embedding|zero_convs)",
                .calls =
                    R"((?i)control_?net|control_model|\bcldm|t2i_?adapter|input_hint_block|guided_hint|control_lora|control\.get_control|get_control_\w+|\bpreprocessor\()",
                .files =
                    R"((?i)(?:^|/)cldm(?:/cldm)?\.py|(?:^|/)controlnets?/\w+\.py|(?:^|/)controlnet\w*\.py|t2i_adapter|/annotator/|controlnet_aux/|adv_control/|advanced-controlnet/|lllite)",
                .stages =
                    R"(ControlNet\w*Apply\w*|Apply\w*ControlNet\w*|ControlNetLoader\w*|\bPreprocessor\b|[Rr]unning (?:[Cc]ontrol[Nn]et|preprocessor)|[Ll]oading (?:[Cc]ontrol[Nn]et|preprocessor)|controlnet\w*\.(?:engine|plan|trt|onnx))",
                .folders = R"(/controlnets?/)"},
            Part{
                .component = "text encoder",
                .keys =
                    R"(cond_stage_model|conditioner\.embedders|text_encoder|text_model\b|CLIPText\w*|\bT5\w*Encoder\w*|FrozenCLIP|FrozenOpenCLIP|transformer\.resblocks|te[12]?_text_model|text_projection|Tokenizer|token_embedding|position_ids|vocab\.json|merges\.txt|clip-vit-|CLIP-ViT-|spiece\.model|tokenizer|\bCLIP\b|clip-text|encoder\.block\.\d+\.layer|SelfAttention\.[qkv]\b|language_model\.|model\.layers\.\d+\.(?:self_attn|mlp))",
                .calls =
                    R"((?i)cond_stage|text_encoder|textencoder|text_model|cliptext|clip_text|clip-text|text_tokens|encode_?prompt|prompt_?embeds|prompt_?tokens|encode_from_tokens|encode_token_weights|get_learned_cond|\bclip\.(?:encode|tokenize)|\bclip_model|encode_with_transformers|token_embedding|embed_tokens|\bwte\(|\binput_ids|tokenizer\b|tokenize\(|text_?processing|frozen(?:open)?clip|t5_?encoder|\bt5\b|cond_stage_model|conditioner\b|text_projection|encode_text|process_texts|get_conds|compel)",
                .files =
                    R"((?:^|/)sd[123x]\w*_clip\.py|(?:^|/)clip_model\.py|text_encoders?/|sd_hijack_(?:clip|open_clip)|prompt_parser\.py|open_clip/|/clip/(?:model|clip|simple_tokenizer)\.py|encoders/modules\.py|modeling_(?:clip|t5|umt5|llama|gemma\w*|qwen\w*|gpt\w*|bert|roberta|xlm\w*|mistral\w*|phi\w*|opt)\.py|tokenization_\w+\.py|text_processing/|/nn/(?:clip|t5)\.py|/compel/|lpw_stable_diffusion|\bt5\.py)",
                .stages =
                    R"(CLIPTextEncode\w*|\w*CLIPLoader\w*|(?:clip|text_encoder)\w*\.(?:engine|plan|trt|onnx)|Requested to load (?:\w*C(?:LIP|lip)\w*|\w*TE\w*Model\w*|\w*T5\w*|\w*Text\w*)|[Ee]xporting (?:the )?(?:text.?encoder|CLIP))",
                .folders = R"(/(?:text_encoders?(?:_[23])?|tokenizer(?:_[23])?|clip)/)"},
            Part{
                .component = "vae",
                .keys =
                    R"(first_stage_model|Autoencoder\w*|AutoencoderKL|\bVAE\b|\bvae\b|post_quant_conv|decoder[./](?:up|mid|conv)|encoder[./](?:down|mid|conv)|VQModel|vae_(?:decoder|encoder))",
                .calls =
                    R"((?i)first_stage|\bvae|_vae\b|_vae_|autoencoder|decode_latents|encode_latents|cache_latents|samples_to_image|latents?_to_|decode_tiled|encode_tiled|post_quant_conv|\bquant_conv|vqmodel|taesd)",
                .files =
                    R"((?i)(?:^|/)autoencoders?/|(?:^|/)autoencoder\w*\.py|(?:^|/)(?:\w+_)?vae\w*\.py|diffusionmodules/model\.py|tiled_?vae|taesd|sd_vae\w*\.py|vqgan|tilevae)",
                .stages =
                    R"(VAE\w*(?:Decode|Encode)\w*|VAELoader\w*|\[Tiled VAE\]|[Dd]ecoding (?:latents|image)|vae_?(?:decoder|encoder)?\w*\.(?:engine|plan|trt|onnx)|VAE (?:decod|encod)ing|Requested to load Autoencod\w+|[Ee]xporting (?:the )?(?:VAE|vae))",
                .folders = R"(/(?:vae(?:_decoder|_encoder)?)/)"},
            Part{.component = "unet",
                 .keys =
                     R"(model\.diffusion_model|UNet\w*|\bUnet\b|\bunet\b|input_blocks\.|output_blocks\.|middle_block\.|down_blocks\.|up_blocks\.|mid_block\.|time_embed|label_emb|conv_in\.weight|proj_in|attn[12]\.to_[qkv]|\bDiT\b|SD3Transformer\w*|FluxTransformer\w*|\w+Transformer(?:2|3)DModel|LatentDiffusion|double_blocks|single_blocks|joint_blocks|transformer_blocks\.\d)",
                 .calls =
                     R"((?i)unet|diffusion_model|apply_model|noise_pred|model_pred\b|denoiser|diffusionwrapper|model_function|pred_noise|predict_noise|self\.transformer\(|mmdit)",
                 .files =
                     R"((?i)(?:^|/)(?:\w+_)?unet(?:_?[123]d)?(?:_condition\w*|_model\w*|_motion\w*|_spatio\w*)?\.py|(?:^|/)transformer_[a-z]\w*\.py|ldm/(?:flux|wan|cascade|aura|hydit|hunyuan_video|lumina|chroma|qwen_image|pixart|cosmos|genmo|lightricks|hidream)/model\.py|model_base\.py|mmdit|sd_hijack_unet|/nn/(?:unet|flux|chroma)\.py)",
                 .stages =
                     R"(KSampler\w*|SamplerCustom\w*|unet\w*\.(?:engine|plan|trt|onnx)|[Ee]xporting (?:the )?(?:UNet|unet)|unet_?\w* to ONNX|UNETLoader\w*)",
                 .folders = R"(/(?:unet|diffusion_models|Unet-(?:trt|onnx))/)"},
            // Parts that have no name in the answer: a call inside them is in none of the others.
            Part{
                .component = "unknown",
                .calls =
                    R"((?i)\bvision_model|clip_?vision|image_encoder|safety_checker|ip_?adapter|image_prompt|image_proj|image_embeds|visual\(|face_?(?:analysis|app)|insightface|scheduler\.step|self\.sigmas|upscale_model|upscaler)",
                .files =
                    R"((?i)scheduling_\w+\.py|ip_?adapter\w*\.py|clip_vision\.py|modeling_(?:siglip|vit|dinov2|blip\w*)\.py|insightface/|basicsr/|realesrgan/|spandrel\w*/|safety_checker\.py|gfpgan/|facexlib/)"},
        };

// Building blocks of several networks, and callers that lead to one as a rule.
constexpr std::array kCallers{
    Row{"unet",
        R"(openaimodel|unet_\w*blocks|resnet\.py|p_losses|ddpm\.py|k_diffusion|sd_samplers|samplers\.py|KSampler|ksampler|CFGDenoiser|CFGGuider|cfg_guider|sample_\w+|sampling\.py|plms|ddim\.py|common_ksampler|export_onnx|export_unet|tensorrt_convert|p_sample|external\.py|unipc|dpm_solver|attention_processor|attention\.py|CrossAttention|BasicTransformerBlock|SpatialTransformer|sd_hijack_optimizations|transformer_2d|optimized_attention|accelerator\.backward|loss\.backward|optimizer\.step)"},
    Row{"loader",
        R"(load_model_weights|load_checkpoint|load_state_dict|from_pretrained|from_single_file|sd_models\.py|load_file\(|safe_open|torch\.load|load_torch_file)"},
};

const RE2& compiled(std::string_view pattern) {
  // A few dozen patterns for the whole program; compiled once.
  static std::vector<std::pair<const char*, std::unique_ptr<RE2>>> cache;
  for (const auto& [key, expression] : cache)
    if (key == pattern.data()) return *expression;
  cache.emplace_back(pattern.data(),
                     std::make_unique<RE2>(re2::StringPiece(pattern.data(), pattern.size())));
  return *cache.back().second;
}

struct InputRow {
  std::string_view name;
  std::string_view component;
};

// Sources: optimum's and diffusers' exporters, demoDiffusion, the webui's exporter.
constexpr std::array kInputs{
    InputRow{"input_ids", "text encoder"},
    InputRow{"attention_mask", "text encoder"},
    InputRow{"sample", "unet"},
    InputRow{"latent", "unet"},
    InputRow{"latents", "unet"},
    InputRow{"latent_model_input", "unet"},
    InputRow{"x", "unet"},
    InputRow{"timestep", "unet"},
    InputRow{"timesteps", "unet"},
    InputRow{"timestep_cond", "unet"},
    InputRow{"encoder_hidden_states", "unet"},
    InputRow{"context", "unet"},
    InputRow{"hidden_states", "unet"},
    InputRow{"pooled_projections", "unet"},
    InputRow{"text_embeds", "unet"},
    InputRow{"time_ids", "unet"},
    InputRow{"y", "unet"},
    InputRow{"latent_sample", "vae"},
    InputRow{"controlnet_cond", "controlnet"},
    InputRow{"controlnet_images", "controlnet"},
};

/// Where a pattern begins in a text; npos where it is not.
std::size_t find(const std::string& text, std::string_view pattern) {
  if (pattern.empty()) return std::string::npos;
  re2::StringPiece found;
  return compiled(pattern).Match(text, 0, text.size(), RE2::UNANCHORED, &found, 1)
             ? static_cast<std::size_t>(found.data() - text.data())
             : std::string::npos;
}

/// The part whose name of one kind comes first in a text.
std::string_view first_in(const std::string& text, std::string_view Part::*kind) {
  std::string_view found;
  std::size_t place = std::string::npos;
  for (const Part& part : kParts) {
    const std::size_t at = find(text, part.*kind);
    if (at < place) {
      place = at;
      found = part.component;
    }
  }
  return found;
}

std::string_view caller_in(const std::string& text) {
  for (const Row& row : kCallers)
    if (find(text, row.pattern) != std::string::npos) return row.component;
  return {};
}

std::string with_slashes(std::string path) {
  std::replace(path.begin(), path.end(), '\\', '/');
  return path;
}

/// Source without the names of keyword arguments: f(x, output_vae=True) is no call of a VAE.
std::string without_keywords(std::string source) {
  static const RE2 kKeyword(R"(([(,]\s*)\w+ ?=([^=]))");
  RE2::GlobalReplace(&source, kKeyword, "\\1\\2");
  return source;
}

/// Adapters and hooks replace a layer's forward and call the original one: they stand in every
/// stack and are at fault in few.
bool is_wrapper(const Frame& frame) {
  static const RE2 kWrapper(
      R"(org_forward|orig_fn|orig_func|original_forward|originals?\.|orig_forward|org_module|self\.original\(|base_layer\(|_forward\(self, input|return forward_call|_call_impl|func\(\*args|executor\.execute|wrapped_forward|call_function|\bfn\(\*args|super\(\)\.forward)");
  return RE2::PartialMatch(frame.source, kWrapper);
}

}  // namespace

std::string_view component_in_message(std::string_view text) {
  const std::string copy(text);
  for (const Part& part : kParts)
    if (find(copy, part.keys) != std::string::npos) return part.component;
  return {};
}

Component component_in_stack(const Exception& exception) {
  Component caller;
  for (auto frame = exception.frames.rbegin(); frame != exception.frames.rend(); ++frame) {
    const std::string source = without_keywords(frame->source);
    // A lambda that stands for a stage names it, although it only calls the original.
    if (is_wrapper(*frame) && first_in(source, &Part::calls) != "vae") continue;
    const std::string path = with_slashes(frame->path);
    if (path.find("/torch/") != path.npos) continue;
    for (const std::string* text : {&source, &frame->function})
      if (const auto name = first_in(*text, &Part::calls); !name.empty()) return {name, true};
    if (const auto name = first_in(path, &Part::files); !name.empty()) return {name, true};
    const std::string tail = path.substr(path.rfind('/') + 1);
    for (const std::string* text : {&source, &frame->function, &tail})
      if (caller.name.empty()) caller.name = caller_in(*text);
  }
  return caller;
}

std::string_view component_of_input(std::string_view name) {
  for (const InputRow& row : kInputs)
    if (row.name == name) return row.component;
  return {};
}

std::string_view component_in_path(const std::string& text) {
  return first_in(with_slashes(text), &Part::folders);
}

std::string_view component_in_context(const std::vector<Record>& records, std::size_t record) {
  constexpr std::size_t kLines = 16;
  const std::size_t end = record > kLines ? record - kLines : 0;
  for (std::size_t i = record; i-- > end;) {
    if (const auto name = first_in(records[i].text, &Part::stages); !name.empty()) return name;
    if (const auto name = component_in_path(records[i].text); !name.empty()) return name;
  }
  // Some programs name the place behind the message, without the form of a stack.
  static const RE2 kSource(R"(([\w./\\~-]+\.py)(?::\d+|\W|$))");
  for (std::size_t i = record + 1; i < std::min(record + 4, records.size()); ++i) {
    std::string path;
    if (!RE2::PartialMatch(records[i].text, kSource, &path)) continue;
    if (const auto name = first_in(with_slashes(path), &Part::files); !name.empty()) return name;
  }
  return {};
}

}  // namespace sinter::diagnose::log
