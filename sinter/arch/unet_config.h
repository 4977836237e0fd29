#pragma once

#include <optional>
#include <vector>

#include "sinter/arch/config.h"
#include "sinter/arch/structure.h"
#include "sinter/arch/weight_map.h"

namespace sinter::arch {

/// Reads from names and shapes what they tell of a UNet; heads, pooled_dim and time_ids stay 0.
/// What the file lacks is 0.
UNetConfig read_unet_config(const WeightMap& weights);

/// Whether the projections around the transformer blocks are matrices; nothing where no attention
/// block tells.
std::optional<bool> reads_linear_projection(const WeightMap& weights);

/// Every weight of a UNet of that configuration.
/// skip_surplus: of the skip connections of the way down, those that the way up does not take;
/// negative when it takes more than there are. Other than 0 is no UNet.
std::vector<ExpectedTensor> unet_tensors(const UNetConfig& config, int& skip_surplus);

}  // namespace sinter::arch
