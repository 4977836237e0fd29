#include "sinter/arch/text_keys.h"

#include <array>

namespace sinter::arch {
namespace {

constexpr std::array kTransformersRules{
    KeyRule{"text_model.", "text_model."},
    KeyRule{"embeddings.", "text_model.embeddings."},
    KeyRule{"encoder.", "text_model.encoder."},
    KeyRule{"final_layer_norm.", "text_model.final_layer_norm."},
    KeyRule{"text_projection.", "text_projection."},
};

constexpr std::array kOpenClipRules{
    KeyRule{"token_embedding.", "text_model.embeddings.token_embedding."},
    KeyRule{"positional_embedding", "text_model.embeddings.position_embedding.weight"},
    KeyRule{"transformer.resblocks.{}.ln_1.", "text_model.encoder.layers.{}.layer_norm1."},
    KeyRule{"transformer.resblocks.{}.ln_2.", "text_model.encoder.layers.{}.layer_norm2."},
    // torch.nn.MultiheadAttention stacks the three projections in this order.
    KeyRule{.from = "transformer.resblocks.{}.attn.in_proj_",
            .to = "text_model.encoder.layers.{}.self_attn.?_proj.",
            .thirds = "qkv"},
    KeyRule{"transformer.resblocks.{}.attn.out_proj.",
            "text_model.encoder.layers.{}.self_attn.out_proj."},
    KeyRule{"transformer.resblocks.{}.mlp.c_fc.", "text_model.encoder.layers.{}.mlp.fc1."},
    KeyRule{"transformer.resblocks.{}.mlp.c_proj.", "text_model.encoder.layers.{}.mlp.fc2."},
    KeyRule{"ln_final.", "text_model.final_layer_norm."},
    // A bare parameter that is multiplied from the right: [width, projection].
    KeyRule{.from = "text_projection", .to = "text_projection.weight", .transposed = true},
    // Some tools write it back as a linear layer.
    KeyRule{"text_projection.", "text_projection."},
};

}  // namespace

WeightMap map_text_keys(TextNames style, const NameIndex& names) {
  if (style == TextNames::kOpenClip) return apply_rules(kOpenClipRules, names);
  return apply_rules(kTransformersRules, names);
}

}  // namespace sinter::arch
