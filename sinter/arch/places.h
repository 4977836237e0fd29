#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/arch/families.h"
#include "sinter/arch/name_index.h"
#include "sinter/arch/text_keys.h"
#include "sinter/arch/weight_map.h"

namespace sinter::arch {

/// Names of the key layouts.
inline constexpr std::string_view kOriginal = "original";
inline constexpr std::string_view kDiffusers = "diffusers";

/// The ControlNets of a pipeline, numbered as diffusers' MultiControlNetModel numbers their
/// folders.
inline constexpr std::array<std::string_view, 4> kControlNetNames{"controlnet", "controlnet_1",
                                                                  "controlnet_2", "controlnet_3"};

enum class ComponentKind { kTextEncoder, kUNet, kVae, kControlNet };

/// A component as it was found: the weights that its key map knows, under canonical names.
struct FoundComponent {
  ComponentKind kind;
  std::string name;         // "unet"; of a text encoder its place in the pipeline
  std::string_view prefix;  // of its keys
  std::string_view layout;  // "original" or "diffusers": of the file
  std::string_view keys;    // the same of the names behind the prefix
  TextNames text_names = TextNames::kTransformers;  // of a text encoder
  WeightMap weights;
};

/// Finds the networks of a file by where their tensors stand and how they are called, in pipeline
/// order: text encoders, UNet, VAE, ControlNets.
///
/// names: without those that no network needs (known_keys.h).
std::vector<FoundComponent> find_components(const NameIndex& names);

/// Which tower a text encoder is, as far as the file tells without a UNet beside it.
TowerKind guess_tower(TextNames names, std::int64_t width, bool has_projection);

}  // namespace sinter::arch
