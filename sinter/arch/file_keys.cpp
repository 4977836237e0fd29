#include "sinter/arch/file_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sinter/arch/controlnet_keys.h"
#include "sinter/arch/text_keys.h"
#include "sinter/arch/tiny_vae.h"
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
  if (config.tiny)
    return behind_prefix(found, found.keys == kOriginal
                                    ? original_tiny_vae_key(canonical, names_in_file(found))
                                    : std::string(canonical));
  const auto levels =
      static_cast<std::int64_t>(std::max(config.encoder.size(), config.decoder.size()));
  return behind_prefix(found, found.keys == kOriginal
                                  ? original_vae_key(canonical, levels, names_in_file(found))
                                  : diffusers_vae_key(canonical, names_in_file(found)));
}

std::string key_in_file(const FoundComponent& found, const ControlNetConfig& config,
                        std::string_view canonical) {
  return behind_prefix(found, found.keys == kOriginal ? original_controlnet_key(config, canonical)
                                                      : std::string(canonical));
}

namespace {

const TowerUse* tower_use(const Family& family, std::string_view component) {
  const auto found = std::ranges::find(family.towers, component, &TowerUse::component);
  return found == family.towers.end() ? nullptr : &*found;
}

}  // namespace

TextNames original_text_names(const Family& family, std::string_view component) {
  const TowerUse* use = tower_use(family, component);
  const bool clip = use == nullptr || use->kind == TowerKind::kClipL;
  return clip ? TextNames::kTransformers : TextNames::kOpenClip;
}

std::string original_prefix(const Family& family, std::string_view component) {
  if (component == "unet") return "model.diffusion_model.";
  if (component == "vae") return "first_stage_model.";
  if (component == kControlNetNames.front()) return "control_model.";
  // The layout has one; further ones keep the name of their folder.
  if (component.starts_with(kControlNetNames.front())) return fmt::format("{}/", component);
  const TowerUse* use = tower_use(family, component);
  const std::string_view inner =
      original_text_names(family, component) == TextNames::kOpenClip ? "model." : "transformer.";
  if (family.vector == VectorKind::kNone) return fmt::format("cond_stage_model.{}", inner);
  const auto number = use == nullptr ? 0 : use - family.towers.data();
  return fmt::format("conditioner.embedders.{}.{}", number, inner);
}

LayoutPlace original_place(TextNames names, std::string_view canonical) {
  return place_in_layout(text_rules(names), canonical, {})
      .value_or(LayoutPlace{.name = std::string(canonical)});
}

LayoutPlace original_place(const UNetConfig& config, std::string_view canonical) {
  return {.name = original_unet_key(config, canonical)};
}

LayoutPlace original_place(const VaeConfig& config, std::string_view canonical) {
  if (config.tiny) return {.name = original_tiny_vae_key(canonical, {})};
  const auto levels =
      static_cast<std::int64_t>(std::max(config.encoder.size(), config.decoder.size()));
  return {.name = original_vae_key(canonical, levels, {})};
}

LayoutPlace original_place(const ControlNetConfig& config, std::string_view canonical) {
  return {.name = original_controlnet_key(config, canonical)};
}

bool is_convolution_in_original(const VaeConfig& /*config*/, std::string_view canonical) {
  return canonical.find(".attentions.") != canonical.npos && canonical.ends_with(".weight") &&
         canonical.find(".group_norm.") == canonical.npos;
}

}  // namespace sinter::arch
