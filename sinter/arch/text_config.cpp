#include "sinter/arch/text_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace sinter::arch {
namespace {

constexpr std::string_view kLayers = "text_model.encoder.layers.";

}  // namespace

TextEncoderConfig read_text_config(const WeightMap& weights) {
  TextEncoderConfig config{};
  config.vocabulary = extent(weights, "text_model.embeddings.token_embedding.weight", 0);
  config.positions = extent(weights, "text_model.embeddings.position_embedding.weight", 0);
  config.width = extent(weights, "text_model.final_layer_norm.weight", 0);
  if (config.width == 0)
    config.width = extent(weights, "text_model.embeddings.token_embedding.weight", 1);
  // A tower without layers has lost them.
  config.layers = std::max(1, count_children(weights, kLayers, kMaxLayers));
  for (std::int64_t layer = 0; layer < config.layers; ++layer)
    config.mlp_width = std::max(
        config.mlp_width, extent(weights, fmt::format("{}{}.mlp.fc1.weight", kLayers, layer), 0));
  config.projection_dim = extent(weights, "text_projection.weight", 0);
  return config;
}

std::vector<ExpectedTensor> text_tensors(const TextEncoderConfig& config) {
  const std::int64_t width = config.width;
  Expected expected;
  expected.add("text_model.embeddings.token_embedding.weight", {config.vocabulary, width});
  expected.add("text_model.embeddings.position_embedding.weight", {config.positions, width});
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    const std::string name = fmt::format("{}{}.", kLayers, layer);
    expected.norm(name + "layer_norm1", width);
    for (const std::string_view part : {"q_proj", "k_proj", "v_proj", "out_proj"})
      expected.linear(fmt::format("{}self_attn.{}", name, part), width, width);
    expected.norm(name + "layer_norm2", width);
    expected.linear(name + "mlp.fc1", config.mlp_width, width);
    expected.linear(name + "mlp.fc2", width, config.mlp_width);
  }
  expected.norm("text_model.final_layer_norm", width);
  if (config.projection_dim != 0 || config.pooled_projection)
    expected.linear("text_projection", config.projection_dim, width, /*bias=*/false);
  return expected.take();
}

}  // namespace sinter::arch
