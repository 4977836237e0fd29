#pragma once

#include <optional>
#include <vector>

#include "sinter/arch/config.h"
#include "sinter/models/layers.h"

namespace sinter::models {

/// What conditions the UNet, as values of its graph.
struct UNetInputs {
  Value sample;    // [N,C,h,w], the scope's dtype
  Value timestep;  // [T], T is N or 1, float32
  Value context;   // [N,S,context_dim], the scope's dtype
  Value vector;    // [N,vector_dim], float32: pooled text and size sinusoids; absent without vector
                   // conditioning
  std::vector<Value> down_residuals;  // of ControlNets, one a skip; empty: none
  Value mid_residual;
};

/// The shape of a skip connection, as a ControlNet residual has to have it.
struct SkipShape {
  std::int64_t channels;
  std::int64_t divisor;  // of the latent's height and width, rounded up
};

/// The skips of a UNet in the order of their making, then the middle as the last one.
std::vector<SkipShape> skip_shapes(const arch::UNetConfig& config);

/// pooled [N,P] and ids [N,k] to the vector [N, P + 256 k]. float32.
/// Source: Podell et al. 2023 (arXiv 2307.01952), section 2.2.
Value vector_conditioning(Value pooled, Value ids);

/// The denoiser: [N,C,h,w] -> [N,out,h,w] in the scope's dtype; time and vector embeddings are
/// computed in float32. Source: Rombach et al. 2022 (arXiv 2112.10752), appendix.
Value unet(const Scope& s, const arch::UNetConfig& config, const UNetInputs& inputs);

}  // namespace sinter::models
