#pragma once

#include <vector>

#include "sinter/arch/config.h"
#include "sinter/models/layers.h"
#include "sinter/models/unet_encoder.h"

namespace sinter::models {

/// What the UNet takes, as values of its graph.
struct UNetInputs {
  Value sample;  // [N,C,h,w], the scope's dtype
  Conditions conditions;
  std::vector<Value> down_residuals;  // of ControlNets, one a skip; empty: none
  Value mid_residual;
};

/// The denoiser: [N,C,h,w] -> [N,out,h,w] in the scope's dtype; time and vector embeddings are
/// computed in float32. Source: Rombach et al. 2022 (arXiv 2112.10752), appendix.
Value unet(const Scope& s, const arch::UNetConfig& config, const UNetInputs& inputs);

}  // namespace sinter::models
