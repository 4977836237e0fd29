#include "sinter/models/vae.h"

namespace sinter::models {

using arch::VaeConfig;
using arch::VaeLevel;
using graph::Within;

namespace {

constexpr float kEps = 1e-6f;

/// Single-head self-attention over cells around a skip. [N,C,h,w] -> same.
Value cell_attention(const Scope& s, Value x) {
  const std::int64_t C = x.dim(1).value();
  const Within within(s);
  const Value normal = group_norm(s / "group_norm", x, kEps);
  const Value flat = reshape(normal, {x.dim(0), C, x.dim(2).times(x.dim(3))});
  const Value tokens = transpose(flat, {0, 2, 1});  // [N,hw,C]
  const Value q = linear(s / "to_q", tokens, C);
  const Value k = linear(s / "to_k", tokens, C);
  const Value v = linear(s / "to_v", tokens, C);
  const Value mixed = multi_head_attention(s, q, k, v, 1, s.graph().none());
  const Value out = linear(s / "to_out.0", mixed, C);
  return sum(s, x, reshape_like(transpose(out, {0, 2, 1}), x));
}

Value middle(const Scope& s, Value x, bool attention) {
  const std::int64_t C = x.dim(1).value();
  const Value none = s.graph().none();
  x = resnet(s / "resnets.0", x, none, C, kEps);
  if (attention) x = cell_attention(s / "attentions.0", x);
  return resnet(s / "resnets.1", x, none, C, kEps);
}

/// Halves the size; pads below and right only, so cell (i,j) starts at pixel (2i,2j).
Value downsample(const Scope& s, Value x, std::int64_t channels) {
  const Value weight = s.weight("weight", {channels, x.dim(1).value(), 3, 3});
  const Value bias = s.weight("bias", {channels});
  const Within within(s);
  return conv(s.operand(x), weight, bias, {.stride = 2, .pads = {0, 0, 1, 1}});
}

Value upsample(const Scope& s, Value x, std::int64_t channels) {
  const Value larger = [&] {
    const Within within(s);
    return resize_nearest(x, 2);
  }();
  return conv2d(s, larger, channels, 3);
}

Value resnets(const Scope& s, Value x, const VaeLevel& level) {
  for (int j = 0; j < level.resnets; ++j)
    x = resnet(s / "resnets" / j, x, s.graph().none(), level.channels, kEps);
  return x;
}

}  // namespace

Value vae_decoder(const Scope& s, const VaeConfig& config, Value latent) {
  const Scope d = s / "decoder";
  Value x = config.post_quant_conv
                ? conv2d(s / "post_quant_conv", latent, config.latent_channels, 1)
                : latent;
  x = conv2d(d / "conv_in", x, config.decoder.front().channels, 3);
  x = middle(d / "mid_block", x, config.decoder_attention);
  for (std::size_t i = 0; i < config.decoder.size(); ++i) {
    const Scope block = d / "up_blocks" / static_cast<int>(i);
    x = resnets(block, x, config.decoder[i]);
    if (config.decoder[i].resample)
      x = upsample(block / "upsamplers.0.conv", x, config.decoder[i].channels);
  }
  return conv2d(d / "conv_out", norm_and_activate(d / "conv_norm_out", x, kEps),
                config.image_channels, 3);
}

Value vae_encoder(const Scope& s, const VaeConfig& config, Value image) {
  const Scope e = s / "encoder";
  Value x = conv2d(e / "conv_in", image, config.encoder.front().channels, 3);
  for (std::size_t i = 0; i < config.encoder.size(); ++i) {
    const Scope block = e / "down_blocks" / static_cast<int>(i);
    x = resnets(block, x, config.encoder[i]);
    if (config.encoder[i].resample)
      x = downsample(block / "downsamplers.0.conv", x, config.encoder[i].channels);
  }
  x = middle(e / "mid_block", x, config.encoder_attention);
  x = conv2d(e / "conv_out", norm_and_activate(e / "conv_norm_out", x, kEps),
             2 * config.latent_channels, 3);
  return config.quant_conv ? conv2d(s / "quant_conv", x, 2 * config.latent_channels, 1) : x;
}

}  // namespace sinter::models
