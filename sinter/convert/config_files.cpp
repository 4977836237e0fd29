#include "sinter/convert/config_files.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <variant>

namespace sinter::convert {

using arch::TextEncoderConfig;
using arch::TextState;
using arch::UNetConfig;
using arch::UNetLevel;
using arch::VaeConfig;
using arch::VaeLevel;
using Json = nlohmann::ordered_json;

namespace {

std::string text(const Json& json) { return json.dump(2) + "\n"; }

template <typename Level>
std::vector<std::int64_t> widths(const std::vector<Level>& levels) {
  std::vector<std::int64_t> result;
  for (const Level& level : levels) result.push_back(level.channels);
  return result;
}

bool attends(const UNetLevel& level) {
  return std::ranges::any_of(level.depths, [](int depth) { return depth > 0; });
}

Json unet_config(const UNetConfig& config) {
  std::vector<std::string> down;
  std::vector<std::string> up;
  std::vector<int> depths;
  std::vector<std::int64_t> heads;  // diffusers calls the number of heads attention_head_dim
  for (const UNetLevel& level : config.down) {
    down.emplace_back(attends(level) ? "CrossAttnDownBlock2D" : "DownBlock2D");
    depths.push_back(level.depths.empty() ? 0 : std::ranges::max(level.depths));
    heads.push_back(config.heads > 0 ? config.heads : level.channels / config.head_width);
  }
  for (const UNetLevel& level : config.up)
    up.emplace_back(attends(level) ? "CrossAttnUpBlock2D" : "UpBlock2D");
  Json json{{"_class_name", "UNet2DConditionModel"},
            {"in_channels", config.in_channels},
            {"out_channels", config.out_channels},
            {"block_out_channels", widths(config.down)},
            {"layers_per_block", config.down.front().depths.size()},
            {"down_block_types", down},
            {"up_block_types", up},
            {"cross_attention_dim", config.context_dim},
            {"attention_head_dim", heads},
            {"transformer_layers_per_block", depths},
            {"use_linear_projection", config.linear_projection}};
  if (config.vector_dim > 0) {
    json["addition_embed_type"] = "text_time";
    json["addition_time_embed_dim"] = 256;
    json["projection_class_embeddings_input_dim"] = config.vector_dim;
    json["requires_aesthetics_score"] = config.time_ids == 5;
  }
  return json;
}

Json vae_config(const VaeConfig& config) {
  std::vector<VaeLevel> levels = config.encoder;
  if (levels.empty()) {
    levels = config.decoder;
    std::ranges::reverse(levels);
  }
  return {{"_class_name", "AutoencoderKL"},        {"in_channels", config.image_channels},
          {"out_channels", config.image_channels}, {"latent_channels", config.latent_channels},
          {"block_out_channels", widths(levels)},  {"scaling_factor", config.scaling_factor}};
}

Json text_encoder_config(const TextEncoderConfig& config) {
  static constexpr std::string_view kStates[] = {"last", "penultimate", "penultimate-normed"};
  Json json{
      {"architectures",
       {config.pooled_projection ? "CLIPTextModelWithProjection" : "CLIPTextModel"}},
      {"model_type", "clip_text_model"},
      {"hidden_size", config.width},
      {"intermediate_size", config.mlp_width},
      {"num_hidden_layers",
       config.layers - (config.state == TextState::kPenultimateNormed ? 1 : 0)},
      {"num_attention_heads", config.heads},
      {"max_position_embeddings", config.positions},
      {"vocab_size", config.vocabulary},
      {"hidden_act", config.activation == arch::Activation::kQuickGelu ? "quick_gelu" : "gelu"},
      {"bos_token_id", 49406},
      {"eos_token_id", 49407},
      {"sinter_state", kStates[static_cast<std::size_t>(config.state)]}};
  if (config.projection_dim > 0) json["projection_dim"] = config.projection_dim;
  return json;
}

struct ConfigWriter {
  Json operator()(const TextEncoderConfig& config) const { return text_encoder_config(config); }
  Json operator()(const UNetConfig& config) const { return unet_config(config); }
  Json operator()(const VaeConfig& config) const { return vae_config(config); }
};

bool is_xl(const arch::Model& model) { return model.family.starts_with("sdxl"); }

}  // namespace

std::string component_config(const arch::Model& model, const arch::Component& component,
                             std::int64_t latent_factor) {
  Json json = std::visit(ConfigWriter{}, component.config);
  if (std::holds_alternative<UNetConfig>(component.config))
    json["sample_size"] = model.native_size / latent_factor;
  return text(json);
}

std::string scheduler_config(const arch::Model& model) {
  // The training schedule that all of these families share (Rombach et al. 2022; Podell et al.
  // 2023).
  return text(Json{{"_class_name", is_xl(model) ? "EulerDiscreteScheduler" : "DDIMScheduler"},
                   {"num_train_timesteps", 1000},
                   {"beta_start", 0.00085},
                   {"beta_end", 0.012},
                   {"beta_schedule", "scaled_linear"},
                   {"prediction_type", std::string(prediction_name(
                                           model.prediction.value_or(arch::Prediction::kEpsilon)))},
                   {"timestep_spacing", "leading"},
                   {"steps_offset", 1},
                   {"clip_sample", false},
                   {"set_alpha_to_one", false}});
}

std::string model_index(const arch::Model& model, const std::vector<std::string>& folders) {
  Json json{{"_class_name",
             is_xl(model) ? "ORTStableDiffusionXLPipeline" : "ORTStableDiffusionPipeline"}};
  // The base model was trained with zeros where there is no text (Podell et al. 2023; its published
  // model_index.json).
  if (model.family == "sdxl-base") json["force_zeros_for_empty_prompt"] = true;
  const auto has = [&](std::string_view folder) {
    return std::ranges::find(folders, folder) != folders.end();
  };
  json["scheduler"] = {"diffusers", is_xl(model) ? "EulerDiscreteScheduler" : "DDIMScheduler"};
  for (const std::string_view encoder : {"text_encoder", "text_encoder_2"}) {
    if (!has(encoder)) continue;
    json[std::string(encoder)] = {"optimum.onnxruntime", "ORTModelTextEncoder"};
    json[encoder == "text_encoder" ? "tokenizer" : "tokenizer_2"] = {"transformers",
                                                                     "CLIPTokenizer"};
  }
  if (has("unet")) json["unet"] = {"optimum.onnxruntime", "ORTModelUnet"};
  if (has("vae_decoder")) json["vae_decoder"] = {"optimum.onnxruntime", "ORTModelVaeDecoder"};
  if (has("vae_encoder")) json["vae_encoder"] = {"optimum.onnxruntime", "ORTModelVaeEncoder"};
  return text(json);
}

}  // namespace sinter::convert
