#pragma once

#include <string>
#include <string_view>

#include "sinter/arch/config.h"
#include "sinter/arch/key_map.h"

namespace sinter::arch {

/// UNet tensors of the original layout (input_blocks, middle_block, output_blocks) under the names
/// of diffusers' UNet2DConditionModel.
///
/// The original numbers blocks through; where a level ends and which blocks hold attention is read
/// from the names themselves, so that any topology maps. Of a file that lacks blocks, what is left
/// keeps its place.
WeightMap map_original_unet_keys(const NameIndex& names);

/// The same from diffusers' own names.
WeightMap map_diffusers_unet_keys(const NameIndex& names);

/// What a file of the original layout calls a canonical name of a UNet of that configuration.
std::string original_unet_key(const UNetConfig& config, std::string_view canonical);

}  // namespace sinter::arch
