#include "sinter/models/spatial_transformer.h"

namespace sinter::models {

using graph::Within;

namespace {

constexpr float kTransformerEps = 1e-6f;

/// Attention, cross where context is not x. [N,L,D], [N,S,Dc] -> [N,L,D].
Value attention(const Scope& s, Value x, Value context, std::int64_t heads) {
  const std::int64_t D = x.dim(2).value();
  const Value q = linear(s / "to_q", x, D);
  const Value k = linear(s / "to_k", context, D);
  const Value v = linear(s / "to_v", context, D);
  const Within within(s);
  const Value mixed = multi_head_attention(s, q, k, v, heads, s.graph().none());
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
    return add(matmul(proj.operand(x), weight), bias);
  };
  const Value value = half(0);
  const Value gate = half(inner);
  const Within within(proj);
  const Value gated = mul(value, gelu(gate, Gelu::kExact));
  return linear(s / "net.2", gated, D);
}

/// Self-attention, cross-attention, feed-forward, each behind a norm and around a skip. [N,L,D] ->
/// same.
Value transformer_block(const Scope& s, Value x, Value context, std::int64_t heads) {
  const Value self = layer_norm(s / "norm1", x);
  x = sum(s / "attn1", x, attention(s / "attn1", self, self, heads));
  x = sum(s / "attn2", x, attention(s / "attn2", layer_norm(s / "norm2", x), context, heads));
  return sum(s / "ff", x, feed_forward(s / "ff", layer_norm(s / "norm3", x)));
}

/// [N,C,h,w] -> [N,hw,C].
Value to_tokens(Value image) {
  const Value flat = reshape(image, {image.dim(0), image.dim(1), image.dim(2).times(image.dim(3))});
  return transpose(flat, {0, 2, 1});
}

}  // namespace

Value spatial_transformer(const Scope& s, Value x, Value context,
                          const TransformerOptions& options) {
  const std::int64_t C = x.dim(1).value();
  const Within within(s);
  const Value normal = group_norm(s / "norm", x, kTransformerEps);
  Value tokens = options.linear_projection ? linear(s / "proj_in", to_tokens(normal), C)
                                           : to_tokens(conv2d(s / "proj_in", normal, C, 1));
  for (int i = 0; i < options.depth; ++i)
    tokens = transformer_block(s / "transformer_blocks" / i, tokens, context, options.heads);
  if (options.linear_projection) tokens = linear(s / "proj_out", tokens, C);
  Value image = reshape_like(transpose(tokens, {0, 2, 1}), x);
  if (!options.linear_projection) image = conv2d(s / "proj_out", image, C, 1);
  return sum(s, image, x);
}

}  // namespace sinter::models
