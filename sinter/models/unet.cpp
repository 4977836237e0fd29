#include "sinter/models/unet.h"

#include <fmt/format.h>

#include <utility>

#include "sinter/base/error.h"

namespace sinter::models {

using arch::UNetConfig;
using arch::UNetLevel;
using graph::Within;

namespace {

constexpr float kResnetEps = 1e-5f;
constexpr float kTransformerEps = 1e-6f;
constexpr std::int64_t kSizeSinusoids = 256;

std::int64_t heads_of(const UNetConfig& config, std::int64_t width) {
  return config.heads > 0 ? config.heads : width / config.head_width;
}

/// Attention, cross where context is not x. [N,L,D], [N,S,Dc] -> [N,L,D].
Value attention(const Scope& s, Value x, Value context, std::int64_t heads) {
  const std::int64_t D = x.dim(2).value();
  const Value q = linear(s / "to_q", x, D);
  const Value k = linear(s / "to_k", context, D);
  const Value v = linear(s / "to_v", context, D);
  const Within within(s);
  const Value mixed = multi_head_attention(q, k, v, heads, s.graph().none());
  return linear(s / "to_out.0", mixed, D);
}

/// GEGLU: (x W1 + b1) * gelu(x W2 + b2), then a projection. [N,L,D] -> same.
/// Source: Shazeer 2020 (arXiv 2002.05202).
Value feed_forward(const Scope& s, Value x) {
  const std::int64_t D = x.dim(2).value();
  const std::int64_t inner = 4 * D;
  const Scope proj = s / "net.0.proj";
  // The two halves of the stored matrix are ranges of rows: two products need no Split of a wide
  // result.
  const auto half = [&](std::int64_t first) {
    const Value weight = proj.matrix_rows("weight", 2 * inner, D, first, inner);
    const Value bias = proj.vector_part("bias", 2 * inner, first, inner);
    const Within within(proj);
    return add(matmul(x, weight), bias);
  };
  const Value value = half(0);
  const Value gate = half(inner);
  const Within within(proj);
  const Value gated = mul(value, gelu(gate, Gelu::kExact));
  return linear(s / "net.2", gated, D);
}

Value residual(const Scope& s, Value x, Value change) {
  const Within within(s);
  return add(x, change);
}

/// Self-attention, cross-attention, feed-forward, each behind a norm and around a skip. [N,L,D] ->
/// same.
Value transformer_block(const Scope& s, Value x, Value context, std::int64_t heads) {
  const Value self = layer_norm(s / "norm1", x);
  x = residual(s / "attn1", x, attention(s / "attn1", self, self, heads));
  x = residual(s / "attn2", x, attention(s / "attn2", layer_norm(s / "norm2", x), context, heads));
  return residual(s / "ff", x, feed_forward(s / "ff", layer_norm(s / "norm3", x)));
}

/// [N,C,h,w] -> [N,hw,C].
Value to_tokens(Value image) {
  const Value flat = reshape(image, {image.dim(0), image.dim(1), image.dim(2).times(image.dim(3))});
  return transpose(flat, {0, 2, 1});
}

/// Transformer blocks over the cells of an image. [N,C,h,w] -> same.
Value spatial_transformer(const Scope& s, Value x, Value context, const UNetConfig& config,
                          int depth) {
  const std::int64_t C = x.dim(1).value();
  const Within within(s);
  const Value normal = group_norm(s / "norm", x, kTransformerEps);
  Value tokens = config.linear_projection ? linear(s / "proj_in", to_tokens(normal), C)
                                          : to_tokens(conv2d(s / "proj_in", normal, C, 1));
  for (int i = 0; i < depth; ++i) {
    tokens = transformer_block(s / "transformer_blocks" / i, tokens, context, heads_of(config, C));
  }
  if (config.linear_projection) tokens = linear(s / "proj_out", tokens, C);
  Value image = reshape_like(transpose(tokens, {0, 2, 1}), x);
  if (!config.linear_projection) image = conv2d(s / "proj_out", image, C, 1);
  return add(image, x);
}

/// Two layers around a silu. float32. [T,in] -> [T,out].
Value embedding_mlp(const Scope& s, Value x, std::int64_t out) {
  const Value hidden = linear(s / "linear_1", x, out);
  const Within within(s);
  return linear(s / "linear_2", silu(hidden), out);
}

/// The activated sum of time and vector embeddings in the scope's dtype, shared by all resnets.
/// [T,E].
Value conditioning_embedding(const Scope& s, const UNetConfig& config, const UNetInputs& inputs) {
  const Scope exact = s.in(DType::kF32);
  const Scope time = exact / "time_embedding";
  const Within within(time);
  Value embedding =
      embedding_mlp(time, sinusoids(inputs.timestep, config.model_channels), config.time_dim);
  if (config.vector_dim > 0) {
    const Value vector = embedding_mlp(exact / "add_embedding", inputs.vector, config.time_dim);
    embedding = add(embedding, vector);
  }
  return cast(silu(embedding), s.dtype());
}

class Denoiser {
 public:
  Denoiser(const Scope& s, const UNetConfig& config, const UNetInputs& inputs)
      : s_(s), config_(config), inputs_(inputs), time_(conditioning_embedding(s, config, inputs)) {}

  Value run() {
    Value x = conv2d(s_ / "conv_in", inputs_.sample, config_.model_channels, 3);
    push_skip(x);
    for (std::size_t i = 0; i < config_.down.size(); ++i)
      x = down(s_ / "down_blocks" / static_cast<int>(i), x, config_.down[i]);
    x = middle(s_ / "mid_block", x);
    add_residuals(x);
    for (std::size_t i = 0; i < config_.up.size(); ++i)
      x = up(s_ / "up_blocks" / static_cast<int>(i), x, config_.up[i]);
    return conv2d(s_ / "conv_out", norm_and_activate(s_ / "conv_norm_out", x, kResnetEps),
                  config_.out_channels, 3);
  }

 private:
  void push_skip(Value x) { skips_.push_back(x); }

  Value resnet_and_attention(const Scope& s, Value x, const UNetLevel& level, std::size_t j) {
    const int at = static_cast<int>(j);
    x = resnet(s / "resnets" / at, x, time_, level.channels, kResnetEps);
    const int depth = level.depths[j];
    return depth == 0
               ? x
               : spatial_transformer(s / "attentions" / at, x, inputs_.context, config_, depth);
  }

  Value down(const Scope& s, Value x, const UNetLevel& level) {
    for (std::size_t j = 0; j < level.depths.size(); ++j) {
      x = resnet_and_attention(s, x, level, j);
      push_skip(x);
    }
    if (level.resample) {
      x = conv2d(s / "downsamplers.0.conv", x, level.channels, 3, 2);
      push_skip(x);
    }
    return x;
  }

  Value middle(const Scope& s, Value x) {
    const std::int64_t C = x.dim(1).value();
    if (config_.mid_resnets > 0) x = resnet(s / "resnets.0", x, time_, C, kResnetEps);
    if (config_.mid_depth > 0)
      x = spatial_transformer(s / "attentions.0", x, inputs_.context, config_, config_.mid_depth);
    if (config_.mid_resnets > 1) x = resnet(s / "resnets.1", x, time_, C, kResnetEps);
    return x;
  }

  /// ControlNet residuals join the skips and the middle after the whole encoder has run.
  void add_residuals(Value& x) {
    if (inputs_.down_residuals.empty()) return;
    const Within within(s_ / "control");
    for (std::size_t i = 0; i < skips_.size(); ++i)
      skips_[i] = add(skips_[i], inputs_.down_residuals.at(i));
    x = add(x, inputs_.mid_residual);
  }

  Value up(const Scope& s, Value x, const UNetLevel& level) {
    for (std::size_t j = 0; j < level.depths.size(); ++j) {
      const Value skip = skips_.back();
      skips_.pop_back();
      const Value joined = [&] {
        const Within within(s / "resnets" / static_cast<int>(j));
        return graph::concat({x, skip}, 1);
      }();
      x = resnet_and_attention(s, joined, level, j);
    }
    if (!level.resample) return x;
    // To the next skip's size and not to twice the own one: odd sizes were rounded up on the way
    // down.
    const Scope upsampler = s / "upsamplers.0.conv";
    const Value larger = [&] {
      const Within within(upsampler);
      return resize_nearest_like(x, skips_.back());
    }();
    return conv2d(upsampler, larger, level.channels, 3);
  }

  const Scope& s_;
  const UNetConfig& config_;
  const UNetInputs& inputs_;
  Value time_;
  std::vector<Value> skips_;
};

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

Value vector_conditioning(Value pooled, Value ids) {
  const Value waves = sinusoids(ids, kSizeSinusoids);  // [N,k,256]
  const Value flat = reshape(waves, {ids.dim(0), ids.dim(1).value() * kSizeSinusoids});
  return graph::concat({pooled, flat}, 1);
}

Value unet(const Scope& s, const UNetConfig& config, const UNetInputs& inputs) {
  check_skips(config);
  return Denoiser(s, config, inputs).run();
}

}  // namespace sinter::models
