#include "sinter/models/layers.h"

#include <cmath>
#include <numbers>
#include <vector>

namespace sinter::models {

using graph::Dim;
using graph::Within;

Value linear(const Scope& s, Value x, std::int64_t out) {
  const Value weight = s.matrix("weight", out, x.dims().back().value());
  const Within within(s);
  const Value product = matmul(s.operand(x), weight);
  if (!s.has("bias")) return product;
  const Value bias = s.weight("bias", {out});
  return add(product, bias);
}

Value conv2d(const Scope& s, Value x, std::int64_t out, std::int64_t kernel, std::int64_t stride) {
  const Value weight = s.weight("weight", {out, x.dim(1).value(), kernel, kernel});
  const Value bias = s.weight("bias", {out});
  const Within within(s);
  const std::int64_t pad = kernel / 2;
  return conv(s.operand(x), weight, bias, {.stride = stride, .pads = {pad, pad, pad, pad}});
}

Value group_norm(const Scope& s, Value x, float eps) {
  constexpr std::int64_t kGroups = 32;
  const std::int64_t channels = x.dim(1).value();
  // A vector of the file is as well [C,1,1], which broadcasts over cells without a Reshape.
  const Value scale = s.weight("weight", {channels, 1, 1});
  const Value shift = s.weight("bias", {channels, 1, 1});
  const Within within(s);
  x = s.operand(x);
  graph::Graph& g = s.graph();
  const Value ones = g.vector(std::vector<float>(kGroups, 1.0f), {kGroups}, DType::kF32, "ones/32");
  const Value zeros =
      g.vector(std::vector<float>(kGroups, 0.0f), {kGroups}, DType::kF32, "zeros/32");

  const Dim inner = x.dim(2).times(x.dim(3)).times(channels / kGroups);
  const Value grouped = reshape(x, {x.dim(0), kGroups, inner});
  // The variance of a whole group overflows float16, and small ones vanish in it.
  const Value normal = instance_normalization(cast(grouped, DType::kF32), ones, zeros, eps);
  const Value image = reshape_like(cast(normal, x.dtype()), x);
  const Value scaled = mul(image, scale);
  return add(scaled, shift);
}

Value layer_norm(const Scope& s, Value x) {
  const std::int64_t width = x.dims().back().value();
  const Value scale = s.weight("weight", {width});
  const Value shift = s.weight("bias", {width});
  const Within within(s);
  return layer_normalization(s.operand(x), scale, shift, 1e-5f);
}

Value silu(Value x) {
  const Value gate = sigmoid(x);
  return mul(x, gate);
}

Value gelu(Value x, Gelu approximate) {
  if (approximate == Gelu::kSigmoid) {
    const Value gate = sigmoid(1.702 * x);
    return mul(x, gate);
  }
  const Value scaled = div(x, x.graph().scalar(std::numbers::sqrt2, x.dtype()));
  const Value shifted = add(erf(scaled), x.graph().scalar(1.0, x.dtype()));
  const Value product = mul(x, shifted);
  return 0.5 * product;
}

Value multi_head_attention(const Scope& s, Value q, Value k, Value v, std::int64_t heads,
                           Value mask) {
  const Within within(s);
  q = s.operand(q);
  k = s.operand(k);
  v = s.operand(v);
  const Dim N = q.dim(0);
  const std::int64_t D = q.dim(2).value();
  const std::int64_t d = D / heads;
  const auto split = [&](Value x) { return reshape(x, {N, x.dim(1), heads, d}); };

  const Value scaled = (1.0 / std::sqrt(static_cast<double>(d))) * q;
  const Value queries = transpose(split(scaled), {0, 2, 1, 3});  // [N,heads,L,d]
  const Value keys = transpose(split(k), {0, 2, 3, 1});          // [N,heads,d,S]
  const Value values = transpose(split(v), {0, 2, 1, 3});        // [N,heads,S,d]
  Value scores = matmul(queries, keys);                          // [N,heads,L,S]
  if (mask.id() != 0) scores = add(scores, s.operand(mask));
  const Value mixed = matmul(softmax(scores, -1), values);  // [N,heads,L,d]
  return reshape(transpose(mixed, {0, 2, 1, 3}), {N, q.dim(1), D});
}

Value sinusoids(Value x, std::int64_t width) {
  const std::int64_t half = width / 2;
  std::vector<float> frequencies;
  for (std::int64_t i = 0; i < half; ++i) {
    const float exponent =
        static_cast<float>(-std::log(10000.0)) * static_cast<float>(i) / static_cast<float>(half);
    frequencies.push_back(std::exp(exponent));
  }
  graph::Graph& g = x.graph();
  const Value table =
      g.vector(frequencies, {half}, DType::kF32, "frequencies/" + std::to_string(half));
  const Value angles =
      mul(unsqueeze(cast(x, DType::kF32), static_cast<std::int64_t>(x.rank())), table);
  const Value cosines = cos(angles);
  const Value sines = sin(angles);
  return graph::concat({cosines, sines}, -1);
}

Value sum(const Scope& s, Value x, Value change) {
  const Within within(s);
  const Value a = s.operand(x);
  const Value b = s.operand(change);
  return add(a, b);
}

Value norm_and_activate(const Scope& s, Value x, float eps) {
  const Value normal = group_norm(s, x, eps);
  const Within within(s);
  return silu(normal);
}

Value resnet(const Scope& s, Value x, Value time, std::int64_t out, float eps) {
  Value h = conv2d(s / "conv1", norm_and_activate(s / "norm1", x, eps), out, 3);
  if (time.id() != 0) {
    const Scope t = s / "time_emb_proj";
    const Value shift = linear(t, time, out);
    const Within within(t);
    h = t.operand(h);
    h = add(h, unsqueeze(unsqueeze(shift, 2), 3));  // [T,out,1,1]
  }
  h = conv2d(s / "conv2", norm_and_activate(s / "norm2", h, eps), out, 3);
  const bool projected = s.has("conv_shortcut.weight");
  const Value skip = projected ? conv2d(s / "conv_shortcut", x, out, 1) : x;
  return sum(s, skip, h);
}

}  // namespace sinter::models
