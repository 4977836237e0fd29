#pragma once

#include <optional>

#include "sinter/arch/config.h"
#include "sinter/arch/weight_map.h"

namespace sinter::arch {

/// Reads from names and shapes what they tell of a UNet; heads, pooled_dim and time_ids stay 0.
/// What the file lacks is 0.
UNetConfig read_unet_config(const WeightMap& weights);

/// Whether the projections around the transformer blocks are matrices; nothing where no attention
/// block tells.
std::optional<bool> reads_linear_projection(const WeightMap& weights);

/// For a file that has lost its middle: asks for one, unless the network has none.
/// said: whether a folder's config.json says that it has one.
void require_middle(UNetConfig& config, std::optional<bool> said);

/// For a file that has lost blocks: gives each side the levels, resnets and widths that the other
/// shows, by what holds in every UNet that is trained. A level of the way up is the mirror image of
/// one of the way down and has one resnet more; all levels but the last resample.
void mirror_sides(UNetConfig& config);

}  // namespace sinter::arch
