#include "sinter/repack/pipeline_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <variant>

#include "sinter/arch/python_json.h"
#include "sinter/base/error.h"
#include "sinter/convert/config_files.h"
#include "sinter/convert/json_text.h"

namespace sinter::repack {
namespace {

using Json = nlohmann::ordered_json;

/// Of the diffusers whose keys these files have; some pipelines ask for it.
constexpr const char* kVersion = "0.30.0";
constexpr const char* kIndex = "model_index.json";
constexpr std::string_view kControlNet = "controlnet";
constexpr const char* kScheduler = "scheduler/scheduler_config.json";

/// The pipeline class of a family.
struct PipelineClass {
  std::string_view family;
  std::string_view name;
};
constexpr std::array kPipelineClasses{
    PipelineClass{"sd15", "StableDiffusionPipeline"},
    PipelineClass{"sd15-inpaint", "StableDiffusionInpaintPipeline"},
    PipelineClass{"sd15-instruct-pix2pix", "StableDiffusionInstructPix2PixPipeline"},
    PipelineClass{"sd21", "StableDiffusionPipeline"},
    PipelineClass{"sd21-inpaint", "StableDiffusionInpaintPipeline"},
    PipelineClass{"sdxl-base", "StableDiffusionXLPipeline"},
    PipelineClass{"sdxl-refiner", "StableDiffusionXLImg2ImgPipeline"},
    PipelineClass{"sdxl-inpaint", "StableDiffusionXLInpaintPipeline"},
    PipelineClass{"sdxl-instruct-pix2pix", "StableDiffusionXLInstructPix2PixPipeline"},
};

/// What diffusers expects in the index, in its order; null stands for what is not there.
constexpr std::array<std::string_view, 5> kSmallSlots{"text_encoder", "tokenizer", "unet", "vae",
                                                      "scheduler"};
constexpr std::array<std::string_view, 2> kSafetySlots{"safety_checker", "feature_extractor"};
constexpr std::array<std::string_view, 2> kXlSlots{"text_encoder_2", "tokenizer_2"};

bool is_xl(const arch::Model& model) { return model.family.starts_with("sdxl"); }

std::string words(const Json& json) { return json.dump(2) + "\n"; }

Json parse(const std::string& text) {
  Json json = Json::parse(arch::without_bare_infinities(text), nullptr, /*allow_exceptions=*/false);
  return json.is_object() ? json : Json::object();
}

/// [library, class] of a slot that the folder has, null otherwise.
Json slot(std::string_view name, const arch::Model& model,
          const std::vector<PlacedComponent>& components, const std::string& scheduler) {
  const auto has = [&](std::string_view component) {
    return std::ranges::any_of(components, [&](const PlacedComponent& placed) {
      return placed.component->name == component;
    });
  };
  if (name == "scheduler") return {"diffusers", scheduler};
  if (name == "tokenizer" && has("text_encoder")) return {"transformers", "CLIPTokenizer"};
  if (name == "tokenizer_2" && has("text_encoder_2")) return {"transformers", "CLIPTokenizer"};
  if (!has(name)) return {nullptr, nullptr};
  if (name == "unet") return {"diffusers", "UNet2DConditionModel"};
  if (name == "vae") return {"diffusers", "AutoencoderKL"};
  if (name == kControlNet) return {"diffusers", "ControlNetModel"};
  const auto& config = std::get<arch::TextEncoderConfig>(model.find(name)->config);
  return {"transformers",
          config.pooled_projection ? "CLIPTextModelWithProjection" : "CLIPTextModel"};
}

std::string model_index(const arch::Model& model, const std::vector<PlacedComponent>& components,
                        const weights::Checkpoint& checkpoint, const std::string& scheduler) {
  const auto text = checkpoint.configs().find(kIndex);
  const Json own = text == checkpoint.configs().end() ? Json::object() : parse(text->second);
  const auto row = std::ranges::find(kPipelineClasses, model.family, &PipelineClass::family);
  Json json{{"_class_name", row->name}, {"_diffusers_version", kVersion}};
  // The folder's own settings stay; what it names and sinter does not copy is null.
  for (const auto& [key, value] : own.items())
    json[key] = value.is_array() ? Json{nullptr, nullptr} : value;
  // Of a folder that is no pipeline of diffusers', as one of ONNX graphs.
  if (!own.contains("_class_name")) json["_class_name"] = row->name;
  const Json converted = Json::parse(convert::model_index(model, {}, checkpoint.configs()));
  for (const char* key : {"force_zeros_for_empty_prompt", "requires_aesthetics_score"})
    if (converted.contains(key)) json[key] = converted[key];
  const auto set = [&](std::string_view name) {
    json[std::string(name)] = slot(name, model, components, scheduler);
  };
  std::ranges::for_each(kSmallSlots, set);
  if (model.find(kControlNet) != nullptr) set(kControlNet);
  if (is_xl(model)) {
    std::ranges::for_each(kXlSlots, set);
  } else {
    for (const std::string_view name : kSafetySlots) json[std::string(name)] = {nullptr, nullptr};
    json["requires_safety_checker"] = false;
  }
  return words(json);
}

bool attends(const arch::UNetLevel& level) {
  return std::ranges::any_of(level.depths, [](int depth) { return depth > 0; });
}

/// diffusers describes a level by one number of resnets and one of transformer blocks, the same on
/// both sides.
void require_regular(const arch::UNetConfig& config) {
  const std::size_t resnets = config.down.front().depths.size();
  bool regular = config.mid_resnets == 2 && config.down.size() == config.up.size();
  for (std::size_t i = 0; regular && i < config.down.size(); ++i) {
    const std::vector<int>& down = config.down[i].depths;
    const std::vector<int>& up = config.up[config.up.size() - 1 - i].depths;
    const auto same = [&](int depth) { return depth == down.front(); };
    regular = down.size() == resnets && up.size() == resnets + 1 &&
              std::ranges::all_of(down, same) && std::ranges::all_of(up, same);
  }
  if (regular && attends(config.down.back()))
    regular = config.mid_depth == config.down.back().depths.front();
  if (regular) return;
  throw Error(ErrorCode::kUnsupported,
              "the UNet has levels of different depths, which the config.json made here cannot say",
              "--layout original keeps it; a diffusers folder of it keeps its own config.json");
}

std::string_view torch_word(DType dtype) { return dtype_info(dtype).word; }

/// Keys of a converted folder that diffusers does not have.
constexpr std::array<const char*, 2> kOwnKeys{"requires_aesthetics_score", "sinter_state"};

/// config.json of a component that has none.
std::string made_config(const arch::Model& model, const arch::Component& component) {
  const arch::Component* vae = model.find("vae");
  const auto factor = vae == nullptr ? 8 : std::get<arch::VaeConfig>(vae->config).factor();
  Json json = parse(convert::component_config(model, component, factor));
  for (const char* key : kOwnKeys) json.erase(key);
  if (json.contains("_class_name")) json["_diffusers_version"] = kVersion;
  return words(json);
}

}  // namespace

std::string weights_name(const arch::Component& component) {
  const bool text = std::holds_alternative<arch::TextEncoderConfig>(component.config);
  return text ? "model.safetensors" : "diffusion_pytorch_model.safetensors";
}

std::string component_file(const arch::Model& model, const PlacedComponent& placed,
                           const weights::Checkpoint& checkpoint, std::optional<DType> dtype) {
  const auto own = checkpoint.configs().find(std::string(placed.found->prefix) + "config.json");
  if (own == checkpoint.configs().end()) {
    if (const auto* unet = std::get_if<arch::UNetConfig>(&placed.component->config))
      require_regular(*unet);
    return made_config(model, *placed.component);
  }
  std::string text = own->second;
  // transformers loads weights as this says, whatever they are stored as.
  const Json json = parse(text);
  for (const char* key : {"torch_dtype", "dtype"})
    if (dtype && json.contains(key))
      text = convert::with_member(text, key, Json(torch_word(*dtype)).dump());
  return text;
}

std::vector<convert::ExtraFile> pipeline_files(const arch::Model& model,
                                               const std::vector<PlacedComponent>& components,
                                               const weights::Checkpoint& checkpoint,
                                               std::optional<DType> dtype) {
  std::vector<convert::ExtraFile> files;
  for (const PlacedComponent& placed : components)
    files.push_back({placed.component->name + "/config.json",
                     component_file(model, placed, checkpoint, dtype)});
  const std::string scheduler = convert::scheduler_config(model, checkpoint.configs());
  files.push_back({kScheduler, scheduler});
  const std::string scheduler_class = parse(scheduler).value("_class_name", "DDIMScheduler");
  files.push_back({kIndex, model_index(model, components, checkpoint, scheduler_class)});
  return files;
}

}  // namespace sinter::repack
