#pragma once

#include "sinter/arch/config.h"
#include "sinter/models/layers.h"
#include "sinter/models/unet_encoder.h"

namespace sinter::models {

/// What a ControlNet takes, as values of its graph.
struct ControlNetInputs {
  Value sample;  // [N,C,h,w], the scope's dtype: what the UNet takes
  Conditions conditions;
  Value picture;  // [N,image_channels,H,W] in 0..1, the scope's dtype; H and W are h and w times
                  // the config's factor
};

/// A ControlNet: the residuals for the skips and the middle of its UNet, in the scope's dtype and
/// unscaled. Source: Zhang et al. 2023 (arXiv 2302.05543), section 3.2.
Encoded controlnet(const Scope& s, const arch::ControlNetConfig& config,
                   const ControlNetInputs& inputs);

}  // namespace sinter::models
