#include "sinter/models/controlnet.h"

namespace sinter::models {

using arch::ControlNetConfig;
using graph::Within;

namespace {

/// A convolution, then silu.
Value activated_conv(const Scope& s, Value x, std::int64_t out, std::int64_t stride = 1) {
  const Value y = conv2d(s, x, out, 3, stride);
  const Within within(s);
  return silu(y);
}

/// The picture at the size and width of the first skip: a pair of convolutions a resolution, the
/// second of which halves it. [N,3,H,W] -> [N,model_channels,h,w].
Value hint(const Scope& s, const ControlNetConfig& config, Value picture) {
  Value x = activated_conv(s / "conv_in", picture, config.hint_channels.front());
  for (std::size_t i = 0; i + 1 < config.hint_channels.size(); ++i) {
    const int pair = 2 * static_cast<int>(i);
    x = activated_conv(s / "blocks" / pair, x, config.hint_channels[i]);
    x = activated_conv(s / "blocks" / (pair + 1), x, config.hint_channels[i + 1], 2);
  }
  return conv2d(s / "conv_out", x, config.unet.model_channels, 3);
}

/// The 1x1 convolution behind a skip, which training starts from zero.
Value residual(const Scope& s, Value x) { return conv2d(s, x, x.dim(1).value(), 1); }

}  // namespace

Encoded controlnet(const Scope& s, const ControlNetConfig& config, const ControlNetInputs& inputs) {
  const ConditionedBlocks blocks(s, config.unet, inputs.conditions);
  const Value picture = hint(s / "controlnet_cond_embedding", config, inputs.picture);
  Encoded encoded = encode(s, blocks, inputs.sample, picture);
  for (std::size_t i = 0; i < encoded.skips.size(); ++i)
    encoded.skips[i] =
        residual(s / "controlnet_down_blocks" / static_cast<int>(i), encoded.skips[i]);
  encoded.middle = residual(s / "controlnet_mid_block", encoded.middle);
  return encoded;
}

}  // namespace sinter::models
