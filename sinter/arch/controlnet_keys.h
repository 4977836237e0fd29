#pragma once

#include <string>
#include <string_view>

#include "sinter/arch/config.h"
#include "sinter/arch/key_map.h"

namespace sinter::arch {

// A ControlNet's tensors under the names of diffusers' ControlNetModel. Those of its way down and
// middle are the UNet's (unet_keys.h).

/// From the original layout: input_blocks, middle_block, input_hint_block, zero_convs.
WeightMap map_original_controlnet_keys(const NameIndex& names);

/// From diffusers' own names.
WeightMap map_diffusers_controlnet_keys(const NameIndex& names);

/// What a file of the original layout calls a canonical name of a ControlNet of that configuration.
std::string original_controlnet_key(const ControlNetConfig& config, std::string_view canonical);

}  // namespace sinter::arch
