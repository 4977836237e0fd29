#include "sinter/adapters/file/lora_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sinter/base/error.h"
#include "sinter/base/message.h"

namespace sinter::adapters {
namespace {
using Json = nlohmann::json;

constexpr std::string_view kKeyword = "lora_adapter_metadata";

double number(const Json& value, std::string_view key) {
  if (value.is_number() && std::isfinite(value.get<double>())) return value.get<double>();
  throw Error(ErrorCode::kBadFile,
              fmt::format("{} of the metadata's {} is {}, expected a number", shown(key), kKeyword,
                          shown(value.dump(-1, ' ', false, Json::error_handler_t::replace))));
}

/// A pattern of PEFT is a regular expression that a module's name has to end in. Those that are
/// written are names: with dots that may be escaped, and perhaps an anchor.
std::string plain_name(std::string_view pattern) {
  std::string name;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if ((c == '^' && i == 0) || (c == '$' && i + 1 == pattern.size())) continue;
    if (c == '\\' && i + 1 < pattern.size() && pattern[i + 1] == '.') continue;
    if (std::string_view("\\^$*+?()[]{}|").find(c) != std::string_view::npos)
      throw Error(ErrorCode::kUnsupported,
                  fmt::format("the metadata's {} has the pattern '{}', expected a module's name",
                              kKeyword, shown(pattern)),
                  "saving the adapter again with diffusers or PEFT writes names");
    name += c;
  }
  return name;
}

std::vector<std::pair<std::string, double>> pattern_table(const Json& value, std::string_view key) {
  std::vector<std::pair<std::string, double>> table;
  if (!value.is_object()) return table;
  for (const auto& [pattern, of_it] : value.items())
    table.emplace_back(plain_name(pattern), number(of_it, key));
  return table;
}

void take(LoraSettings& settings, std::string_view key, const Json& value) {
  if (key == "lora_alpha") {
    settings.alpha = number(value, key);
  } else if (key == "use_rslora") {
    settings.rank_stabilised = value.is_boolean() && value.get<bool>();
  } else if (key == "alpha_pattern") {
    settings.alphas = pattern_table(value, key);
  }
}

/// "unet.lora_alpha" to the settings of "unet"; a key without a network is of all.
LoraSettings& settings_of(LoraConfig& config, std::string_view network) {
  const auto found = std::ranges::find(config.networks, network, &LoraSettings::network);
  if (found != config.networks.end()) return *found;
  config.networks.push_back({});
  config.networks.back().network = network;
  return config.networks.back();
}

const double* find_pattern(const std::vector<std::pair<std::string, double>>& table,
                           std::string_view module) {
  for (const auto& [name, value] : table) {
    if (!module.ends_with(name)) continue;
    if (module.size() == name.size() || module[module.size() - name.size() - 1] == '.')
      return &value;
  }
  return nullptr;
}

}  // namespace

std::optional<LoraConfig::Alpha> LoraConfig::alpha_of(std::string_view name) const {
  const LoraSettings* settings = nullptr;
  for (const LoraSettings& candidate : networks) {
    const bool is_here = candidate.network.empty() || (name.starts_with(candidate.network) &&
                                                       name.size() > candidate.network.size() &&
                                                       name[candidate.network.size()] == '.');
    // The longest name: "text_encoder_2." and not "text_encoder.".
    if (is_here && (settings == nullptr || candidate.network.size() > settings->network.size()))
      settings = &candidate;
  }
  if (settings == nullptr) return std::nullopt;
  const double* alpha = find_pattern(settings->alphas, name);
  return Alpha{alpha == nullptr ? settings->alpha : *alpha, settings->rank_stabilised};
}

LoraConfig read_lora_config(const std::map<std::string, std::string>& metadata) {
  LoraConfig config;
  const auto found = metadata.find(std::string(kKeyword));
  if (found == metadata.end()) return config;
  const Json json = Json::parse(found->second, nullptr, false);
  if (!json.is_object())
    throw Error(ErrorCode::kBadFile, fmt::format("the metadata's {} is no JSON object", kKeyword));
  for (const auto& [key, value] : json.items()) {
    const std::size_t dot = key.rfind('.');
    const bool has_network = dot != std::string::npos;
    take(settings_of(config, has_network ? std::string_view(key).substr(0, dot) : ""),
         has_network ? std::string_view(key).substr(dot + 1) : std::string_view(key), value);
  }
  return config;
}

}  // namespace sinter::adapters
