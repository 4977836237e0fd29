#include "sinter/arch/file_keys.h"

#include <algorithm>
#include <vector>

#include "sinter/arch/controlnet_keys.h"
#include "sinter/arch/text_keys.h"
#include "sinter/arch/unet_keys.h"
#include "sinter/arch/vae_keys.h"

namespace sinter::arch {
namespace {

std::string behind_prefix(const FoundComponent& found, const std::string& key) {
  return std::string(found.prefix) + key;
}

/// Names of the component's tensors as the file has them, without the prefix.
std::vector<std::string_view> names_in_file(const FoundComponent& found) {
  std::vector<std::string_view> names;
  for (const auto& [canonical, source] : found.weights.all())
    names.push_back(std::string_view(source.tensor->name).substr(found.prefix.size()));
  return names;
}

}  // namespace

std::string key_in_file(const FoundComponent& found, const TextEncoderConfig& /*config*/,
                        std::string_view canonical) {
  const auto name = name_in_layout(text_rules(found.text_names), canonical, names_in_file(found));
  return behind_prefix(found, name.value_or(std::string(canonical)));
}

std::string key_in_file(const FoundComponent& found, const UNetConfig& config,
                        std::string_view canonical) {
  return behind_prefix(found, found.keys == kOriginal ? original_unet_key(config, canonical)
                                                      : std::string(canonical));
}

std::string key_in_file(const FoundComponent& found, const VaeConfig& config,
                        std::string_view canonical) {
  const auto levels =
      static_cast<std::int64_t>(std::max(config.encoder.size(), config.decoder.size()));
  return behind_prefix(found, found.keys == kOriginal
                                  ? original_vae_key(canonical, levels)
                                  : diffusers_vae_key(canonical, names_in_file(found)));
}

std::string key_in_file(const FoundComponent& found, const ControlNetConfig& config,
                        std::string_view canonical) {
  return behind_prefix(found, found.keys == kOriginal ? original_controlnet_key(config, canonical)
                                                      : std::string(canonical));
}

}  // namespace sinter::arch
