#include "sinter/models/unet.h"

#include <fmt/format.h>

#include "sinter/base/error.h"

namespace sinter::models {

using arch::UNetConfig;
using arch::UNetLevel;
using graph::Within;

namespace {

constexpr float kOutputEps = 1e-5f;

/// ControlNet residuals join the skips and the middle after the whole encoder has run.
void add_residuals(const Scope& s, const UNetInputs& inputs, Encoded& encoded) {
  if (inputs.down_residuals.empty()) return;
  const Scope control = s / "control";
  for (std::size_t i = 0; i < encoded.skips.size(); ++i)
    encoded.skips[i] = sum(control, encoded.skips[i], inputs.down_residuals.at(i));
  encoded.middle = sum(control, encoded.middle, inputs.mid_residual);
}

/// One level of the way up; takes its skips from the back.
Value up(const Scope& s, const ConditionedBlocks& blocks, Value x, const UNetLevel& level,
         std::vector<Value>& skips) {
  for (std::size_t j = 0; j < level.depths.size(); ++j) {
    const Value skip = skips.back();
    skips.pop_back();
    const Value joined = [&] {
      const Scope resnet = s / "resnets" / static_cast<int>(j);
      const Within within(resnet);
      const Value below = resnet.operand(x);
      return graph::concat({below, resnet.operand(skip)}, 1);
    }();
    x = blocks.resnet_and_attention(s, joined, level, j);
  }
  if (!level.resample) return x;
  // To the next skip's size and not to twice the own one: odd sizes were rounded up on the way
  // down.
  const Scope upsampler = s / "upsamplers.0.conv";
  const Value larger = [&] {
    const Within within(upsampler);
    return resize_nearest_like(x, skips.back());
  }();
  return conv2d(upsampler, larger, level.channels, 3);
}

void check_skips(const UNetConfig& config) {
  std::size_t made = 1;
  std::size_t used = 0;
  for (const UNetLevel& level : config.down) made += level.depths.size() + (level.resample ? 1 : 0);
  for (const UNetLevel& level : config.up) used += level.depths.size();
  if (made == used) return;
  throw Error(
      ErrorCode::kUnsupported,
      fmt::format("the UNet's encoder makes {} skip connections, its decoder takes {}", made, used),
      "blocks were removed from one side only; sinter builds UNets whose sides match");
}

}  // namespace

Value unet(const Scope& s, const UNetConfig& config, const UNetInputs& inputs) {
  check_skips(config);
  const ConditionedBlocks blocks(s, config, inputs.conditions);
  Encoded encoded = encode(s, blocks, inputs.sample, s.graph().none());
  add_residuals(s, inputs, encoded);
  Value x = encoded.middle;
  for (std::size_t i = 0; i < config.up.size(); ++i)
    x = up(s / "up_blocks" / static_cast<int>(i), blocks, x, config.up[i], encoded.skips);
  return conv2d(s / "conv_out", norm_and_activate(s / "conv_norm_out", x, kOutputEps),
                config.out_channels, 3);
}

}  // namespace sinter::models
