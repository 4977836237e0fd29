#pragma once

#include "sinter/models/unet.h"
#include "tests/models/block.h"

namespace sinter::models {

/// A UNet that is little more than its middle: tests/data/models/transformer*.
inline arch::UNetConfig transformer_config(bool linear_projection) {
  return {.in_channels = 4,
          .out_channels = 4,
          .model_channels = 32,
          .time_dim = 48,
          .context_dim = 24,
          .down = {{.channels = 32, .depths = {}, .resample = false}},
          .mid_depth = 1,
          .up = {{.channels = 32, .depths = {0}, .resample = false}},
          .heads = 2,
          .head_width = 0,
          .linear_projection = linear_projection,
          .vector_dim = 0,
          .pooled_dim = 0,
          .time_ids = 0,
          .mid_resnets = 0};
}

inline Block::Emit emit_unet(const arch::UNetConfig& config, DType compute) {
  return [=](const Scope& s, const Block::Values& in) {
    UNetInputs inputs;
    inputs.sample = cast(in.at("sample"), compute);
    inputs.conditions = {.timestep = in.at("timestep"),
                         .context = cast(in.at("encoder_hidden_states"), compute),
                         .vector = s.graph().none()};
    inputs.mid_residual = s.graph().none();
    return Block::Outputs{{"out_sample", unet(s, config, inputs)}};
  };
}

inline Block::Emit emit_transformer(bool linear_projection, DType compute) {
  return emit_unet(transformer_config(linear_projection), compute);
}

}  // namespace sinter::models
