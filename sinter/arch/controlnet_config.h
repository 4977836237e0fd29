#pragma once

#include "sinter/arch/config.h"
#include "sinter/arch/weight_map.h"

namespace sinter::arch {

/// Reads from names and shapes what they tell of a ControlNet: its way down as
/// read_unet_config() does, and the network of the picture. What the file lacks is 0; levels that
/// it has lost are those that the rest shows (mirror_sides).
ControlNetConfig read_controlnet_config(const WeightMap& weights);

/// A ControlNet and a UNet work together when they read the same text and the residuals fit.
/// @throws Error{kShapeMismatch} with both widths where they do not.
void require_fitting(const UNetConfig& control, const UNetConfig& unet);

}  // namespace sinter::arch
