#include "sinter/arch/component_settings.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sinter/arch/python_json.h"
#include "sinter/base/error.h"

namespace sinter::arch {
namespace {

using Json = nlohmann::json;
using Configs = std::map<std::string, std::string>;

/// The object in that file; empty where there is no such file.
Json read_object(const Configs& configs, const std::string& path) {
  const auto text = configs.find(path);
  if (text == configs.end()) return Json::object();
  Json json = Json::parse(without_bare_infinities(text->second), nullptr,
                          /*allow_exceptions=*/false);
  if (!json.is_object())
    throw Error(ErrorCode::kBadFile, fmt::format("'{}' is no JSON object", path));
  return json;
}

Json component_config(const Configs& configs, std::string_view prefix) {
  return read_object(configs, fmt::format("{}config.json", prefix));
}

std::optional<std::string> text_of(const Json& object, const char* key) {
  const auto value = object.find(key);
  if (value == object.end() || !value->is_string()) return std::nullopt;
  return value->get<std::string>();
}

std::optional<std::int64_t> count_of(const Json& object, const char* key) {
  const auto value = object.find(key);
  if (value == object.end() || !value->is_number_integer()) return std::nullopt;
  return value->get<std::int64_t>();
}

struct ActivationName {
  std::string_view name;
  Activation activation;
};
constexpr ActivationName kActivationNames[] = {{"quick_gelu", Activation::kQuickGelu},
                                               {"gelu", Activation::kGelu}};

}  // namespace

TextSettings read_text_settings(const Configs& configs, std::string_view prefix) {
  const Json config = component_config(configs, prefix);
  TextSettings settings;
  settings.heads = count_of(config, "num_attention_heads");
  const std::optional<std::string> name = text_of(config, "hidden_act");
  if (!name) return settings;
  for (const ActivationName& row : kActivationNames)
    if (row.name == *name) settings.activation = row.activation;
  if (!settings.activation)
    throw Error(
        ErrorCode::kUnsupported,
        fmt::format("'{}config.json' asks for the activation '{}', expected 'quick_gelu' or "
                    "'gelu'",
                    prefix, *name));
  return settings;
}

std::vector<std::int64_t> read_unet_heads(const Configs& configs, std::string_view prefix) {
  const Json config = component_config(configs, prefix);
  for (const char* key : {"num_attention_heads", "attention_head_dim"}) {
    const auto value = config.find(key);
    if (value == config.end() || value->is_null()) continue;
    std::vector<std::int64_t> heads;
    for (const Json& item : value->is_array() ? *value : Json::array({*value})) {
      if (!item.is_number_integer() || item.get<std::int64_t>() <= 0)
        throw Error(ErrorCode::kBadFile,
                    fmt::format("'{}config.json' has {} as {}, expected numbers above 0", prefix,
                                value->dump(), key));
      heads.push_back(item.get<std::int64_t>());
    }
    return heads;
  }
  return {};
}

std::optional<double> read_vae_scaling(const Configs& configs, std::string_view prefix) {
  const Json config = component_config(configs, prefix);
  const auto value = config.find("scaling_factor");
  if (value == config.end() || !value->is_number()) return std::nullopt;
  return value->get<double>();
}

std::optional<std::string> read_scheduler_prediction(const Configs& configs) {
  return text_of(read_object(configs, "scheduler/scheduler_config.json"), "prediction_type");
}

}  // namespace sinter::arch
