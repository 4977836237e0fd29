#include "sinter/models/text_encoder.h"

#include <utility>

namespace sinter::models {

using arch::Activation;
using arch::TextEncoderConfig;
using arch::TextState;
using graph::Within;

namespace {

/// [L,L]: a token sees itself and those before it.
Value causal_mask(const Scope& s, std::int64_t L) {
  // Far below any score, and within float16's range.
  constexpr float kHidden = -10000.0f;
  std::vector<float> mask(static_cast<std::size_t>(L * L), 0.0f);
  for (std::int64_t i = 0; i < L; ++i) {
    for (std::int64_t j = i + 1; j < L; ++j) mask[static_cast<std::size_t>(i * L + j)] = kHidden;
  }
  return s.graph().vector(mask, {L, L}, s.dtype(), "causal/" + std::to_string(L));
}

Value embeddings(const Scope& s, const TextEncoderConfig& config, Value ids) {
  const Value table = (s / "token_embedding").table("weight", {config.vocabulary, config.width});
  const Value positions =
      (s / "position_embedding").weight("weight", {config.positions, config.width});
  const Within within(s);
  const Value words = gather_rows(table, ids);
  return sum(s, words, positions);
}

/// Causal self-attention and MLP, each behind a norm and around a skip. [N,L,D] -> same.
Value layer(const Scope& s, const TextEncoderConfig& config, Value x, Value mask) {
  const Scope a = s / "self_attn";
  const Value normal = layer_norm(s / "layer_norm1", x);
  const Value q = linear(a / "q_proj", normal, config.width);
  const Value k = linear(a / "k_proj", normal, config.width);
  const Value v = linear(a / "v_proj", normal, config.width);
  {
    const Within within(a);
    const Value mixed = multi_head_attention(a, q, k, v, config.heads, mask);
    x = sum(a, x, linear(a / "out_proj", mixed, config.width));
  }
  const Scope m = s / "mlp";
  const Value hidden = linear(m / "fc1", layer_norm(s / "layer_norm2", x), config.mlp_width);
  const Within within(m);
  const Value active =
      gelu(m.operand(hidden),
           config.activation == Activation::kQuickGelu ? Gelu::kSigmoid : Gelu::kExact);
  return sum(m, x, linear(m / "fc2", active, config.width));
}

/// Highest for the id that ends a text: the id itself, or minus its squared distance from the end
/// token. [N,L] float32.
Value rank_of(const Scope& s, Value ids, const TextEncoderConfig& config) {
  const Value numbers = cast(ids, DType::kF32);
  if (!config.end_token) return numbers;
  graph::Graph& g = s.graph();
  const Value distance =
      sub(numbers, g.scalar(static_cast<double>(*config.end_token), DType::kF32));
  return mul(mul(distance, distance), g.scalar(-1, DType::kF32));
}

/// One row a sequence with a one at the end-of-text place: the first of the end token, or of the
/// largest id. [N,1,L].
Value end_of_text(const Scope& s, Value ids, const TextEncoderConfig& config) {
  const std::int64_t L = config.positions;
  std::vector<float> places(static_cast<std::size_t>(L));
  std::vector<float> identity(static_cast<std::size_t>(L * L), 0.0f);
  for (std::int64_t i = 0; i < L; ++i) {
    places[static_cast<std::size_t>(i)] = static_cast<float>(i);
    identity[static_cast<std::size_t>(i * L + i)] = 1.0f;
  }
  graph::Graph& g = s.graph();
  // rank * 128 - place has one maximum, the first of the highest ranks, and is exact in float32
  // near it (49407 * 128 < 2^24): ArgMax implementations differ in which of equal elements they
  // take.
  const Value ranked = mul(rank_of(s, ids, config), g.scalar(128, DType::kF32));
  const Value unique =
      sub(ranked, g.vector(places, {L}, DType::kF32, "places/" + std::to_string(L)));
  const Value rows = g.vector(identity, {L, L}, s.dtype(), "identity/" + std::to_string(L));
  return unsqueeze(gather_rows(rows, argmax_last(unique)), 1);
}

/// states [N,L,D] at the place that `selector` [N,1,L] marks: [N,D].
Value pool(const Scope& s, Value states, Value selector) {
  return reshape(matmul(selector, s.operand(states)), {states.dim(0), states.dim(2)});
}

}  // namespace

TextEncoderOutputs text_encoder(const Scope& s, const TextEncoderConfig& config, Value ids,
                                const TextEncoderRequest& request) {
  const Scope t = s / "text_model";
  const std::int64_t conditioning_layers =
      config.layers - (config.state == TextState::kPenultimateNormed ? 1 : 0);
  const bool all_layers = request.hidden_states || request.text_embeds;
  const Value mask = causal_mask(s, config.positions);

  TextEncoderOutputs outputs;
  Value x = embeddings(t / "embeddings", config, ids);
  outputs.hidden_states.push_back(x);
  for (std::int64_t i = 0; i < (all_layers ? config.layers : conditioning_layers); ++i) {
    x = layer(t / "encoder.layers" / static_cast<int>(i), config, x, mask);
    outputs.hidden_states.push_back(x);
  }
  outputs.last_hidden_state = layer_norm(
      t / "final_layer_norm", outputs.hidden_states[static_cast<std::size_t>(conditioning_layers)]);

  const Scope pooling = t / "pooling";
  const Within within(pooling);
  const Value selector = end_of_text(pooling, ids, config);
  outputs.pooler_output = pool(pooling, outputs.last_hidden_state, selector);
  if (request.text_embeds) {
    const bool same = conditioning_layers == config.layers;
    const Value pooled = same ? outputs.pooler_output
                              : pool(pooling, layer_norm(t / "final_layer_norm", x), selector);
    outputs.text_embeds = linear(s / "text_projection", pooled, config.projection_dim);
  }
  if (!request.hidden_states) outputs.hidden_states.clear();
  return outputs;
}

}  // namespace sinter::models
