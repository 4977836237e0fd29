#include "sinter/models/unet_encoder.h"

#include "sinter/models/spatial_transformer.h"

namespace sinter::models {

using arch::UNetConfig;
using arch::UNetLevel;
using graph::Within;

namespace {

constexpr float kResnetEps = 1e-5f;
constexpr std::int64_t kSizeSinusoids = 256;

/// Two layers around a silu. float32. [T,in] -> [T,out].
Value embedding_mlp(const Scope& s, Value x, std::int64_t out) {
  const Value hidden = linear(s / "linear_1", x, out);
  const Within within(s);
  return linear(s / "linear_2", silu(hidden), out);
}

/// The activated sum of time and vector embeddings in the scope's dtype. [T,E].
Value conditioning_embedding(const Scope& s, const UNetConfig& config,
                             const Conditions& conditions) {
  const Scope exact = s.in(DType::kF32);
  const Scope time = exact / "time_embedding";
  const Within within(time);
  Value embedding =
      embedding_mlp(time, sinusoids(conditions.timestep, config.model_channels), config.time_dim);
  if (config.vector_dim > 0) {
    const Value vector = embedding_mlp(exact / "add_embedding", conditions.vector, config.time_dim);
    embedding = add(embedding, vector);
  }
  return cast(silu(embedding), s.dtype());
}

}  // namespace

Value vector_conditioning(Value pooled, Value ids) {
  const Value waves = sinusoids(ids, kSizeSinusoids);  // [N,k,256]
  const Value flat = reshape(waves, {ids.dim(0), ids.dim(1).value() * kSizeSinusoids});
  return graph::concat({pooled, flat}, 1);
}

ConditionedBlocks::ConditionedBlocks(const Scope& s, const UNetConfig& config,
                                     const Conditions& conditions)
    : config_(config),
      time_(conditioning_embedding(s, config, conditions)),
      context_(conditions.context) {}

Value ConditionedBlocks::attention(const Scope& s, Value x, int depth) const {
  if (depth == 0) return x;
  const std::int64_t width = x.dim(1).value();
  return spatial_transformer(
      s, x, context_,
      {.depth = depth,
       .heads = config_.heads > 0 ? config_.heads : width / config_.head_width,
       .linear_projection = config_.linear_projection});
}

Value ConditionedBlocks::resnet_and_attention(const Scope& s, Value x, const UNetLevel& level,
                                              std::size_t j) const {
  const int at = static_cast<int>(j);
  x = resnet(s / "resnets" / at, x, time_, level.channels, kResnetEps);
  return attention(s / "attentions" / at, x, level.depths[j]);
}

Value ConditionedBlocks::middle(const Scope& s, Value x) const {
  const std::int64_t C = x.dim(1).value();
  if (config_.mid_resnets > 0) x = resnet(s / "resnets.0", x, time_, C, kResnetEps);
  x = attention(s / "attentions.0", x, config_.mid_depth);
  if (config_.mid_resnets > 1) x = resnet(s / "resnets.1", x, time_, C, kResnetEps);
  return x;
}

Encoded encode(const Scope& s, const ConditionedBlocks& blocks, Value sample, Value hint) {
  const UNetConfig& config = blocks.config();
  Value x = conv2d(s / "conv_in", sample, config.model_channels, 3);
  if (hint.id() != 0) {
    x = sum(s / "conv_in", x, hint);
  }
  Encoded encoded{.skips = {x}, .middle = x};
  for (std::size_t i = 0; i < config.down.size(); ++i) {
    const Scope level = s / "down_blocks" / static_cast<int>(i);
    for (std::size_t j = 0; j < config.down[i].depths.size(); ++j) {
      x = blocks.resnet_and_attention(level, x, config.down[i], j);
      encoded.skips.push_back(x);
    }
    if (!config.down[i].resample) continue;
    x = conv2d(level / "downsamplers.0.conv", x, config.down[i].channels, 3, 2);
    encoded.skips.push_back(x);
  }
  encoded.middle = blocks.middle(s / "mid_block", x);
  return encoded;
}

std::vector<SkipShape> skip_shapes(const UNetConfig& config) {
  std::vector<SkipShape> skips{{config.model_channels, 1}};
  std::int64_t divisor = 1;
  for (const UNetLevel& level : config.down) {
    for (std::size_t j = 0; j < level.depths.size(); ++j)
      skips.push_back({level.channels, divisor});
    if (level.resample) skips.push_back({level.channels, divisor *= 2});
  }
  skips.push_back({config.down.back().channels, divisor});
  return skips;
}

}  // namespace sinter::models
