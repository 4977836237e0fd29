#include "sinter/arch/controlnet_keys.h"

#include <array>

#include "sinter/arch/unet_keys.h"

namespace sinter::arch {
namespace {

/// The original numbers the layers of the picture's network, of which every other is an activation.
/// It has no more than these in any file of that layout.
constexpr std::array kOriginalRules{
    KeyRule{"input_hint_block.0.", "controlnet_cond_embedding.conv_in."},
    KeyRule{"input_hint_block.2.", "controlnet_cond_embedding.blocks.0."},
    KeyRule{"input_hint_block.4.", "controlnet_cond_embedding.blocks.1."},
    KeyRule{"input_hint_block.6.", "controlnet_cond_embedding.blocks.2."},
    KeyRule{"input_hint_block.8.", "controlnet_cond_embedding.blocks.3."},
    KeyRule{"input_hint_block.10.", "controlnet_cond_embedding.blocks.4."},
    KeyRule{"input_hint_block.12.", "controlnet_cond_embedding.blocks.5."},
    KeyRule{"input_hint_block.14.", "controlnet_cond_embedding.conv_out."},
    KeyRule{"zero_convs.{}.0.", "controlnet_down_blocks.{}."},
    KeyRule{"middle_block_out.0.", "controlnet_mid_block."},
};

constexpr std::array kDiffusersRules{
    KeyRule{"controlnet_cond_embedding.", "controlnet_cond_embedding."},
    KeyRule{"controlnet_down_blocks.", "controlnet_down_blocks."},
    KeyRule{"controlnet_mid_block.", "controlnet_mid_block."},
};

WeightMap joined(WeightMap unet, const WeightMap& control) {
  for (const auto& [name, source] : control.all()) unet.add(name, source);
  return unet;
}

}  // namespace

WeightMap map_original_controlnet_keys(const NameIndex& names) {
  return joined(map_original_unet_keys(names), apply_rules(kOriginalRules, names));
}

WeightMap map_diffusers_controlnet_keys(const NameIndex& names) {
  return joined(map_diffusers_unet_keys(names), apply_rules(kDiffusersRules, names));
}

std::string original_controlnet_key(const ControlNetConfig& config, std::string_view canonical) {
  const auto own = name_in_layout(kOriginalRules, canonical, {});
  return own ? *own : original_unet_key(config.unet, canonical);
}

}  // namespace sinter::arch
