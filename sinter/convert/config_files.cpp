#include "sinter/convert/config_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <variant>

#include "sinter/arch/python_json.h"
#include "sinter/base/error.h"
#include "sinter/convert/json_text.h"

namespace sinter::convert {

using arch::ControlNetConfig;
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
    depths.push_back(attends(level) ? std::ranges::max(level.depths) : 1);
    heads.push_back(config.heads > 0 ? config.heads : level.channels / config.head_width);
  }
  // Of a last level without attention, the number is the middle's.
  if (!attends(config.down.back())) depths.back() = std::max(config.mid_depth, 1);
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

/// Blocks of a half, by level.
std::vector<int> blocks(const std::vector<VaeLevel>& levels) {
  std::vector<int> result;
  for (const VaeLevel& level : levels) result.push_back(level.resnets);
  return result;
}

Json tiny_vae_config(const VaeConfig& config) {
  Json json{
      {"_class_name", "AutoencoderTiny"},
      {"in_channels", config.image_channels},
      {"out_channels", config.image_channels},
      {"latent_channels", config.latent_channels},
      {"block_out_channels", widths(config.decoder.empty() ? config.encoder : config.decoder)},
      {"scaling_factor", config.scaling_factor}};
  if (!config.encoder.empty()) {
    json["encoder_block_out_channels"] = widths(config.encoder);
    json["num_encoder_blocks"] = blocks(config.encoder);
  }
  if (!config.decoder.empty()) {
    json["decoder_block_out_channels"] = widths(config.decoder);
    json["num_decoder_blocks"] = blocks(config.decoder);
  }
  return json;
}

Json controlnet_config(const ControlNetConfig& config) {
  Json json = unet_config(config.unet);
  json["_class_name"] = "ControlNetModel";
  for (const char* of_the_way_up : {"out_channels", "up_block_types"}) json.erase(of_the_way_up);
  if (config.unet.context_dim == 0) json.erase("cross_attention_dim");
  json["mid_block_type"] = config.unet.mid_depth > 0 ? "UNetMidBlock2DCrossAttn" : "UNetMidBlock2D";
  json["conditioning_channels"] = config.image_channels;
  json["conditioning_embedding_out_channels"] = config.hint_channels;
  json["controlnet_conditioning_channel_order"] = "rgb";
  return json;
}

Json vae_config(const VaeConfig& config) {
  if (config.tiny) return tiny_vae_config(config);
  std::vector<VaeLevel> levels = config.encoder;
  if (levels.empty()) {
    levels = config.decoder;
    std::ranges::reverse(levels);
  }
  // A level of the decoder has one more than the number says.
  const int layers = levels.front().resnets - (config.encoder.empty() ? 1 : 0);
  return {{"_class_name", "AutoencoderKL"},
          {"in_channels", config.image_channels},
          {"out_channels", config.image_channels},
          {"latent_channels", config.latent_channels},
          {"block_out_channels", widths(levels)},
          {"scaling_factor", config.scaling_factor},
          {"layers_per_block", layers},
          {"down_block_types", std::vector<std::string>(levels.size(), "DownEncoderBlock2D")},
          {"up_block_types", std::vector<std::string>(levels.size(), "UpDecoderBlock2D")},
          {"norm_num_groups", 32},
          {"act_fn", "silu"}};
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
      // Readers take 2 for "the largest id".
      {"eos_token_id", config.end_token.value_or(2)},
      {"sinter_state", kStates[static_cast<std::size_t>(config.state)]}};
  if (config.projection_dim > 0) json["projection_dim"] = config.projection_dim;
  return json;
}

struct ConfigWriter {
  Json operator()(const TextEncoderConfig& config) const { return text_encoder_config(config); }
  Json operator()(const UNetConfig& config) const { return unet_config(config); }
  Json operator()(const VaeConfig& config) const { return vae_config(config); }
  Json operator()(const ControlNetConfig& config) const { return controlnet_config(config); }
};

bool is_xl(const arch::Model& model) { return model.family.starts_with("sdxl"); }

constexpr const char* kIndexPath = "model_index.json";
constexpr const char* kSchedulerPath = "scheduler/scheduler_config.json";

/// A setting of XL's pipelines. Source: the published model_index.json of base and refiner; base's
/// are the defaults of diffusers' pipelines, for inpainting and InstructPix2Pix too.
struct IndexKey {
  std::string_view name;
  std::optional<bool> base;  // nothing: not written
  bool refiner;
};
constexpr std::array kIndexKeys{IndexKey{"force_zeros_for_empty_prompt", true, false},
                                IndexKey{"requires_aesthetics_score", std::nullopt, true}};

/// Of a folder that is converted: the object in that file; empty where there is none.
Json object_in(const Configs& configs, const char* path) {
  const auto found = configs.find(path);
  if (found == configs.end()) return Json::object();
  const Json json = Json::parse(arch::without_bare_infinities(found->second), nullptr,
                                /*allow_exceptions=*/false);
  if (!json.is_object())
    throw Error(ErrorCode::kBadFile, fmt::format("'{}' is no JSON object", path));
  return json;
}

/// The scheduler that the folder names, or the family's.
std::string scheduler_class(const arch::Model& model, const Configs& configs) {
  const Json config = object_in(configs, kSchedulerPath);
  if (const auto name = config.find("_class_name"); name != config.end() && name->is_string())
    return *name;
  const Json index = object_in(configs, kIndexPath);
  if (const auto pair = index.find("scheduler");
      pair != index.end() && pair->is_array() && pair->size() == 2 && (*pair)[1].is_string())
    return (*pair)[1];
  return is_xl(model) ? "EulerDiscreteScheduler" : "DDIMScheduler";
}

}  // namespace

std::string component_config(const arch::Model& model, const arch::Component& component,
                             std::int64_t latent_factor) {
  Json json = std::visit(ConfigWriter{}, component.config);
  if (std::holds_alternative<UNetConfig>(component.config))
    json["sample_size"] = model.native_size / latent_factor;
  return text(json);
}

std::string scheduler_config(const arch::Model& model, const Configs& configs) {
  const std::string prediction(
      prediction_name(model.prediction.value_or(arch::Prediction::kEpsilon)));
  const std::string class_name = scheduler_class(model, configs);
  if (const auto own = configs.find(kSchedulerPath); own != configs.end()) {
    const Json json = object_in(configs, kSchedulerPath);
    std::string result = own->second;
    // A folder that leaves it out means epsilon, as diffusers does.
    if (json.value("prediction_type", Json("epsilon")) != prediction)
      result = with_member(result, "prediction_type", Json(prediction).dump());
    if (!json.contains("_class_name"))
      result = with_member(result, "_class_name", Json(class_name).dump());
    return result;
  }
  // The training schedule that all of these families share (Rombach et al. 2022; Podell et al.
  // 2023).
  Json json{{"_class_name", class_name},
            {"num_train_timesteps", 1000},
            {"beta_start", 0.00085},
            {"beta_end", 0.012},
            {"beta_schedule", "scaled_linear"},
            {"prediction_type", prediction},
            {"timestep_spacing", "leading"},
            {"steps_offset", 1},
            {"clip_sample", false},
            {"set_alpha_to_one", false}};
  if (model.zero_terminal_snr) {
    json["rescale_betas_zero_snr"] = true;
    json["timestep_spacing"] = "trailing";  // only it begins at the step that is pure noise
  }
  return text(json);
}

std::string model_index(const arch::Model& model, const std::vector<std::string>& folders,
                        const Configs& configs) {
  Json json{{"_class_name",
             is_xl(model) ? "ORTStableDiffusionXLPipeline" : "ORTStableDiffusionPipeline"}};
  const Json own = object_in(configs, kIndexPath);
  for (const IndexKey& key : kIndexKeys) {
    const auto said = own.find(key.name);
    if (said != own.end() && said->is_boolean()) {
      json[std::string(key.name)] = *said;
      continue;
    }
    if (!is_xl(model)) continue;
    const std::optional<bool> usual = model.family == "sdxl-refiner" ? key.refiner : key.base;
    if (usual) json[std::string(key.name)] = *usual;
  }
  const auto has = [&](std::string_view folder) {
    return std::ranges::find(folders, folder) != folders.end();
  };
  json["scheduler"] = {"diffusers", scheduler_class(model, configs)};
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
