#include "sinter/arch/places.h"

#include <algorithm>
#include <array>
#include <span>

#include "sinter/arch/controlnet_keys.h"
#include "sinter/arch/text_config.h"
#include "sinter/arch/tiny_vae.h"
#include "sinter/arch/unet_keys.h"
#include "sinter/arch/vae_keys.h"

namespace sinter::arch {
namespace {

/// Where files keep a component.
struct Place {
  ComponentKind kind;
  std::string_view prefix;     // of its keys; empty: the file is the component
  std::string_view component;  // empty: what the tower is decides
  std::string_view layout;     // empty: the key map's own
};

constexpr std::array kPlaces{
    // CompVis and Stability AI single files, and what other programs write in their image.
    Place{ComponentKind::kTextEncoder, "cond_stage_model.transformer.", "text_encoder", kOriginal},
    Place{ComponentKind::kTextEncoder, "cond_stage_model.model.", "text_encoder", kOriginal},
    Place{ComponentKind::kTextEncoder, "conditioner.embedders.0.transformer.", "text_encoder",
          kOriginal},
    Place{ComponentKind::kTextEncoder, "conditioner.embedders.0.model.", "text_encoder_2",
          kOriginal},
    Place{ComponentKind::kTextEncoder, "conditioner.embedders.1.model.", "text_encoder_2",
          kOriginal},
    Place{ComponentKind::kUNet, "model.diffusion_model.", "unet", kOriginal},
    Place{ComponentKind::kVae, "first_stage_model.", "vae", kOriginal},
    Place{ComponentKind::kControlNet, "control_model.", "controlnet", kOriginal},
    // Folders.
    Place{ComponentKind::kTextEncoder, "text_encoder/", "text_encoder", {}},
    Place{ComponentKind::kTextEncoder, "text_encoder_2/", "text_encoder_2", {}},
    Place{ComponentKind::kUNet, "unet/", "unet", {}},
    Place{ComponentKind::kVae, "vae/", "vae", {}},
    Place{ComponentKind::kControlNet, "controlnet/control_model.", kControlNetNames[0], kOriginal},
    Place{ComponentKind::kControlNet, "controlnet/", kControlNetNames[0], {}},
    Place{ComponentKind::kControlNet, "controlnet_1/control_model.", kControlNetNames[1],
          kOriginal},
    Place{ComponentKind::kControlNet, "controlnet_1/", kControlNetNames[1], {}},
    Place{ComponentKind::kControlNet, "controlnet_2/control_model.", kControlNetNames[2],
          kOriginal},
    Place{ComponentKind::kControlNet, "controlnet_2/", kControlNetNames[2], {}},
    Place{ComponentKind::kControlNet, "controlnet_3/control_model.", kControlNetNames[3],
          kOriginal},
    Place{ComponentKind::kControlNet, "controlnet_3/", kControlNetNames[3], {}},
    // Single components.
    Place{ComponentKind::kTextEncoder, "", "", {}},
    Place{ComponentKind::kUNet, "", "unet", {}},
    Place{ComponentKind::kVae, "", "vae", {}},
    Place{ComponentKind::kControlNet, "", "controlnet", {}},
};

WeightMap map_transformers(const NameIndex& names) {
  return map_text_keys(TextNames::kTransformers, names);
}
WeightMap map_open_clip(const NameIndex& names) {
  return map_text_keys(TextNames::kOpenClip, names);
}

/// A key map and the names that show which one a file uses.
struct Layout {
  ComponentKind kind;
  std::string_view name;
  std::span<const std::string_view> marks;  // any of them, behind the place's prefix
  WeightMap (*map)(const NameIndex&);
  TextNames text_names = TextNames::kTransformers;
  std::span<const std::string_view> unless = {};  // with any of them it is something else
};

constexpr std::array<std::string_view, 2> kTransformersMarks{"text_model.",
                                                             "embeddings.token_embedding."};
constexpr std::array<std::string_view, 3> kOpenClipMarks{"transformer.resblocks.",
                                                         "token_embedding.", "ln_final."};
constexpr std::array<std::string_view, 3> kOriginalUNetMarks{"input_blocks.", "middle_block.",
                                                             "output_blocks."};
constexpr std::array<std::string_view, 3> kDiffusersUNetMarks{"down_blocks.", "mid_block.",
                                                              "up_blocks."};
// A ControlNet has all names of a UNet's way down, and these.
constexpr std::array<std::string_view, 3> kOriginalControlMarks{"input_hint_block.", "zero_convs.",
                                                                "middle_block_out."};
constexpr std::array<std::string_view, 3> kDiffusersControlMarks{
    "controlnet_cond_embedding.", "controlnet_down_blocks.", "controlnet_mid_block."};
constexpr std::array<std::string_view, 6> kOriginalVaeMarks{
    "encoder.down.", "encoder.mid.",      "decoder.up.",
    "decoder.mid.",  "encoder.norm_out.", "decoder.norm_out."};
constexpr std::array<std::string_view, 6> kDiffusersVaeMarks{
    "encoder.down_blocks.", "encoder.mid_block.",     "decoder.up_blocks.",
    "decoder.mid_block.",   "encoder.conv_norm_out.", "decoder.conv_norm_out."};

constexpr std::array<std::string_view, 6> kOriginalTinyMarks{
    "encoder.1.conv.", "decoder.3.conv.", "taesd_encoder.", "taesd_decoder.", "3.conv.", "4.conv."};
// Transformers have "encoder.layers." too.
constexpr std::array<std::string_view, 6> kDiffusersTinyMarks{
    "encoder.layers.1.conv.", "encoder.layers.3.conv.", "encoder.layers.4.conv.",
    "decoder.layers.2.conv.", "decoder.layers.3.conv.", "decoder.layers.4.conv."};

constexpr std::array kLayouts{
    Layout{ComponentKind::kTextEncoder, kDiffusers, kTransformersMarks, map_transformers},
    Layout{ComponentKind::kTextEncoder, kOriginal, kOpenClipMarks, map_open_clip,
           TextNames::kOpenClip},
    Layout{ComponentKind::kUNet, kOriginal, kOriginalUNetMarks, map_original_unet_keys,
           TextNames::kTransformers, kOriginalControlMarks},
    Layout{ComponentKind::kUNet, kDiffusers, kDiffusersUNetMarks, map_diffusers_unet_keys,
           TextNames::kTransformers, kDiffusersControlMarks},
    Layout{ComponentKind::kVae, kOriginal, kOriginalVaeMarks, map_original_vae_keys},
    Layout{ComponentKind::kVae, kDiffusers, kDiffusersVaeMarks, map_diffusers_vae_keys},
    Layout{ComponentKind::kVae, kOriginal, kOriginalTinyMarks, map_original_tiny_vae_keys},
    Layout{ComponentKind::kVae, kDiffusers, kDiffusersTinyMarks, map_diffusers_tiny_vae_keys},
    Layout{ComponentKind::kControlNet, kOriginal, kOriginalControlMarks,
           map_original_controlnet_keys},
    Layout{ComponentKind::kControlNet, kDiffusers, kDiffusersControlMarks,
           map_diffusers_controlnet_keys},
};

bool has_mark(const NameIndex& names, const Layout& layout) {
  const auto occurs = [&](std::string_view mark) { return names.has_below(mark); };
  return std::ranges::any_of(layout.marks, occurs) && std::ranges::none_of(layout.unless, occurs);
}

/// The layout of the tensors at a place, or null where there is no such component.
const Layout* layout_at(const Place& place, const NameIndex& names) {
  const Layout* first = nullptr;
  for (const Layout& layout : kLayouts) {
    if (layout.kind != place.kind) continue;
    if (has_mark(names, layout)) return &layout;
    if (first == nullptr) first = &layout;
  }
  // A prefix that says what stands behind it needs no mark; without one, names must show it.
  return place.prefix.empty() || names.all().empty() ? nullptr : first;
}

std::string component_name(const Place& place, const Layout& layout, const WeightMap& weights) {
  if (!place.component.empty()) return std::string(place.component);
  const TextEncoderConfig config = read_text_config(weights);
  const TowerKind kind = guess_tower(layout.text_names, config.width, config.projection_dim != 0);
  return kind == TowerKind::kOpenClipBigG ? "text_encoder_2" : "text_encoder";
}

}  // namespace

TowerKind guess_tower(TextNames names, std::int64_t width, bool has_projection) {
  const auto known = std::ranges::find(towers(), width, &Tower::width);
  if (known != towers().end()) return known->kind;
  if (names == TextNames::kOpenClip) return TowerKind::kOpenClipH;
  return has_projection ? TowerKind::kOpenClipBigG : TowerKind::kClipL;
}

std::vector<FoundComponent> find_components(const NameIndex& names) {
  std::vector<FoundComponent> result;
  for (const Place& place : kPlaces) {
    const NameIndex inside = names.without(place.prefix);
    const Layout* layout = layout_at(place, inside);
    if (layout == nullptr) continue;
    WeightMap weights = layout->map(inside);
    if (weights.all().empty()) continue;
    std::string name = component_name(place, *layout, weights);
    if (std::ranges::find(result, name, &FoundComponent::name) != result.end()) continue;
    result.push_back({.kind = place.kind,
                      .name = std::move(name),
                      .prefix = place.prefix,
                      .layout = place.layout.empty() ? layout->name : place.layout,
                      .keys = layout->name,
                      .text_names = layout->text_names,
                      .weights = std::move(weights)});
  }
  std::ranges::stable_sort(result, {}, &FoundComponent::kind);
  return result;
}

}  // namespace sinter::arch
