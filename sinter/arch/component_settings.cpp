#include "sinter/arch/component_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "sinter/arch/fixed_settings.h"
#include "sinter/arch/python_json.h"
#include "sinter/base/error.h"
#include "sinter/base/message.h"

namespace sinter::arch {
namespace {

using Json = nlohmann::json;
using Configs = std::map<std::string, std::string>;

/// The object in that file; empty where there is no such file. path: how messages call it.
Json read_object(const Configs& configs, const std::string& name, const std::string& path) {
  const auto text = configs.find(name);
  if (text == configs.end()) return Json::object();
  Json json = Json::parse(without_bare_infinities(text->second), nullptr,
                          /*allow_exceptions=*/false);
  if (!json.is_object())
    throw Error(ErrorCode::kBadFile, fmt::format("{} is no JSON object", path));
  return json;
}

/// The integer that a JSON value is, or nothing; a number that no int64 holds is none.
std::optional<std::int64_t> integer(const Json& value) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{kMost})
    return std::nullopt;
  return value.get<std::int64_t>();
}

/// A component's config.json.
class ConfigFile {
 public:
  ConfigFile(const FolderConfigs& configs, std::string_view prefix, ComponentKind kind) {
    const std::string name = fmt::format("{}config.json", prefix);
    path_ = (configs.folder / name).string();
    object_ = read_object(configs.texts, name, path_);
    require_built_settings(kind, object_, path_);
  }

  /// The value, or null where it is absent or null.
  const Json* find(const char* key) const {
    const auto value = object_.find(key);
    return value == object_.end() || value->is_null() ? nullptr : &*value;
  }

  bool says(const char* key) const { return object_.contains(key); }

  /// Whether diffusers or transformers wrote it. What it leaves out is then what their class takes;
  /// of any other file, nothing is known.
  bool names_class() const {
    return says("_class_name") || says("model_type") || says("architectures");
  }

  std::string missing(const char* key, std::int64_t meaning) const {
    return fmt::format("{} has no {}, which means {}", path_, key, meaning);
  }

  std::string found(const char* key) const {
    return fmt::format("{} has {} {}", path_, key, shown(object_.at(key).dump()));
  }

  [[noreturn]] void refuse(const char* key, std::string_view expected) const {
    throw Error(ErrorCode::kBadFile, fmt::format("{}, expected {}", found(key), expected));
  }

  std::optional<std::int64_t> count(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr) return std::nullopt;
    const std::optional<std::int64_t> number = integer(*value);
    if (!number || *number <= 0) refuse(key, "a whole number above 0");
    return number;
  }

  std::optional<bool> flag(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (!value->is_boolean()) refuse(key, "true or false");
    return value->get<bool>();
  }

 private:
  std::string path_;
  Json object_;
};

// What the classes take where the file leaves it out. Source: UNet2DConditionModel and
// AutoencoderKL of diffusers 0.42, CLIPTextConfig of transformers 5.24.
constexpr std::int64_t kDefaultUNetHeads = 8;
constexpr double kDefaultScaling = 0.18215;
constexpr Activation kDefaultActivation = Activation::kQuickGelu;
constexpr std::int64_t kDefaultTextHeads = 8;

struct ActivationName {
  std::string_view name;
  Activation activation;
};
constexpr ActivationName kActivationNames[] = {{"quick_gelu", Activation::kQuickGelu},
                                               {"gelu", Activation::kGelu}};

std::optional<Activation> read_activation(const ConfigFile& config) {
  constexpr const char* kKey = "hidden_act";
  constexpr std::string_view kExpected = "\"quick_gelu\" or \"gelu\"";
  const Json* value = config.find(kKey);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) config.refuse(kKey, kExpected);
  for (const ActivationName& row : kActivationNames)
    if (row.name == value->get_ref<const std::string&>()) return row.activation;
  throw Error(ErrorCode::kUnsupported,
              fmt::format("{}, expected {}", config.found(kKey), kExpected));
}

void read_heads(const ConfigFile& config, UNetSettings& settings) {
  for (const char* key : {"num_attention_heads", "attention_head_dim"}) {
    const Json* value = config.find(key);
    if (value == nullptr) continue;
    settings.heads_found = config.found(key);
    settings.heads_per_level = value->is_array();
    for (const Json& item : value->is_array() ? *value : Json::array({*value})) {
      const std::optional<std::int64_t> heads = integer(item);
      if (!heads || *heads <= 0) config.refuse(key, "whole numbers above 0");
      settings.heads.push_back(*heads);
    }
    if (settings.heads.empty()) config.refuse(key, "a whole number above 0, or one a level");
    return;
  }
  if (!config.names_class()) return;
  settings.heads = {kDefaultUNetHeads};
  settings.heads_found = config.missing("attention_head_dim", kDefaultUNetHeads);
}

/// One number, or height and width.
std::optional<std::int64_t> read_sample_size(const ConfigFile& config) {
  constexpr const char* kKey = "sample_size";
  const Json* value = config.find(kKey);
  if (value == nullptr) return std::nullopt;
  std::int64_t size = 0;
  for (const Json& item : value->is_array() ? *value : Json::array({*value})) {
    const std::optional<std::int64_t> cells = integer(item);
    if (!cells || *cells <= 0) config.refuse(kKey, "whole numbers above 0");
    size = std::max(size, *cells);
  }
  return size > 0 ? std::optional(size) : std::nullopt;
}

UNetSettings unet_settings(const ConfigFile& config) {
  UNetSettings settings;
  read_heads(config, settings);
  settings.size = read_sample_size(config);
  settings.vector = config.find("addition_embed_type") != nullptr;
  if (config.says("mid_block_type"))
    settings.middle = config.find("mid_block_type") != nullptr &&
                      *config.find("mid_block_type") == "UNetMidBlock2DCrossAttn";
  return settings;
}

}  // namespace

TextSettings read_text_settings(const FolderConfigs& configs, std::string_view prefix) {
  const ConfigFile config(configs, prefix, ComponentKind::kTextEncoder);
  TextSettings settings{.activation = read_activation(config),
                        .heads = config.count("num_attention_heads"),
                        .vocabulary = config.count("vocab_size"),
                        .layers = config.count("num_hidden_layers"),
                        .end_token = config.count("eos_token_id")};
  if (!config.names_class()) return settings;
  if (!settings.activation) settings.activation = kDefaultActivation;
  if (!settings.heads) settings.heads = kDefaultTextHeads;
  return settings;
}

UNetSettings read_unet_settings(const FolderConfigs& configs, std::string_view prefix) {
  return unet_settings(ConfigFile(configs, prefix, ComponentKind::kUNet));
}

UNetSettings read_controlnet_settings(const FolderConfigs& configs, std::string_view prefix) {
  return unet_settings(ConfigFile(configs, prefix, ComponentKind::kControlNet));
}

VaeSettings read_vae_settings(const FolderConfigs& configs, std::string_view prefix) {
  constexpr const char* kScaling = "scaling_factor";
  const ConfigFile config(configs, prefix, ComponentKind::kVae);
  VaeSettings settings{.scaling = {},
                       .quant_conv = config.flag("use_quant_conv"),
                       .post_quant_conv = config.flag("use_post_quant_conv"),
                       .attention = config.flag("mid_block_add_attention")};
  if (const Json* value = config.find(kScaling)) {
    if (!value->is_number() || value->get<double>() <= 0)
      config.refuse(kScaling, "a number above 0");
    settings.scaling = value->get<double>();
  } else if (config.names_class()) {
    settings.scaling = kDefaultScaling;
  }
  return settings;
}

std::optional<std::string> read_scheduler_prediction(const Configs& configs) {
  constexpr const char* kFile = "scheduler/scheduler_config.json";
  const Json object = read_object(configs, kFile, fmt::format("'{}'", kFile));
  const auto value = object.find("prediction_type");
  if (value == object.end() || !value->is_string()) return std::nullopt;
  return value->get<std::string>();
}

}  // namespace sinter::arch
