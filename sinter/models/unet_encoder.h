#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sinter/arch/config.h"
#include "sinter/models/layers.h"

namespace sinter::models {

// What a UNet and the ControlNets made for it have in common: the conditioning and the way down.

/// What conditions the denoiser, as values of its graph.
struct Conditions {
  Value timestep;  // [T], T is N or 1, float32
  Value context;   // [N,S,context_dim], the scope's dtype
  Value vector;    // [N,vector_dim], float32: pooled text and size sinusoids; absent without vector
                   // conditioning
};

/// pooled [N,P] and ids [N,k] to the vector [N, P + 256 k]. float32.
/// Source: Podell et al. 2023 (arXiv 2307.01952), section 2.2.
Value vector_conditioning(Value pooled, Value ids);

/// The resnets and transformers of a UNet under its conditions. Refers to the config, which
/// outlives it.
class ConditionedBlocks {
 public:
  /// Emits the time and vector embeddings at the scope, computed in float32; one serves all blocks.
  ConditionedBlocks(const Scope& s, const arch::UNetConfig& config, const Conditions& conditions);

  /// The j-th resnet of a level and the transformer behind it, where there is one.
  Value resnet_and_attention(const Scope& s, Value x, const arch::UNetLevel& level,
                             std::size_t j) const;

  /// The middle: resnet, transformer, resnet, as far as the config has them. [N,C,h,w] -> same.
  Value middle(const Scope& s, Value x) const;

  const arch::UNetConfig& config() const { return config_; }

 private:
  Value attention(const Scope& s, Value x, int depth) const;

  const arch::UNetConfig& config_;
  Value time_;  // [T,E], activated, in the scope's dtype
  Value context_;
};

/// What the way down and the middle give.
struct Encoded {
  std::vector<Value> skips;  // [N,C_i,h_i,w_i] in the order of their making
  Value middle;
};

/// conv_in, the levels down and the middle. hint [N,model_channels,h,w] is added behind conv_in;
/// absent: none.
Encoded encode(const Scope& s, const ConditionedBlocks& blocks, Value sample, Value hint);

/// The shape of a skip connection, as a ControlNet residual has to have it.
struct SkipShape {
  std::int64_t channels;
  std::int64_t divisor;  // of the latent's height and width, rounded up
};

/// The skips of a UNet in the order of their making, then the middle as the last one.
std::vector<SkipShape> skip_shapes(const arch::UNetConfig& config);

}  // namespace sinter::models
