#include "sinter/models/tiny_vae.h"

namespace sinter::models {

using arch::VaeConfig;
using arch::VaeLevel;
using graph::Within;

namespace {

/// 3x3; those that change the size have no bias.
Value conv3(const Scope& s, Value x, std::int64_t out, std::int64_t stride = 1) {
  const Value weight = s.weight("weight", {out, x.dim(1).value(), 3, 3});
  const Value bias = s.has("bias") ? s.weight("bias", {out}) : s.graph().none();
  const Within within(s);
  return conv(s.operand(x), weight, bias, {.stride = stride, .pads = {1, 1, 1, 1}});
}

/// relu(x + f(x)), f three convolutions. [N,C,h,w] -> same.
Value block(const Scope& s, Value x) {
  const std::int64_t C = x.dim(1).value();
  const Within within(s);
  Value h = relu(s.operand(conv3(s / "conv.0", x, C)));
  h = relu(s.operand(conv3(s / "conv.2", h, C)));
  h = conv3(s / "conv.4", h, C);
  return relu(sum(s, h, x));
}

/// Keeps latents within -3..3, softly: 3 tanh(x/3).
Value bounded(Value x) {
  constexpr double kMagnitude = 3;
  const Value part = div(x, x.graph().scalar(kMagnitude, x.dtype()));
  return kMagnitude * tanh(part);
}

}  // namespace

Value tiny_vae_decoder(const Scope& s, const VaeConfig& config, Value latent) {
  const Scope d = s / "decoder.layers";
  const std::int64_t C = config.decoder.front().channels;
  const Value inside = [&] {
    const Within within(d);
    return bounded(d.operand(latent));
  }();
  int layer = 0;
  Value x = conv3(d / layer++, inside, C);
  {
    const Scope place = d / layer++;
    const Within within(place);
    x = relu(place.operand(x));
  }
  for (const VaeLevel& level : config.decoder) {
    for (int j = 0; j < level.resnets; ++j) x = block(d / layer++, x);
    if (!level.resample) continue;
    {
      const Within within(d / layer++);
      x = resize_nearest(x, 2);
    }
    x = conv3(d / layer++, x, C);
  }
  x = conv3(d / layer, x, config.image_channels);
  const Within within(d);
  x = d.operand(x);
  const Value twice = 2.0 * x;
  return sub(twice, s.graph().scalar(1.0, x.dtype()));
}

Value tiny_vae_encoder(const Scope& s, const VaeConfig& config, Value image) {
  const Scope e = s / "encoder.layers";
  const std::int64_t C = config.encoder.front().channels;
  const Value x01 = [&] {
    const Within within(e);
    const Value own = e.operand(image);
    const Value raised = add(own, s.graph().scalar(1.0, own.dtype()));
    return 0.5 * raised;
  }();
  int layer = 0;
  Value x = conv3(e / layer++, x01, C);
  for (const VaeLevel& level : config.encoder) {
    for (int j = 0; j < level.resnets; ++j) x = block(e / layer++, x);
    if (level.resample) x = conv3(e / layer++, x, C, 2);
  }
  return conv3(e / layer, x, config.latent_channels);
}

}  // namespace sinter::models
