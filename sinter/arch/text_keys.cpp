#include "sinter/arch/text_keys.h"

#include <array>

namespace sinter::arch {
namespace {

constexpr std::array kTransformersRules{
    KeyRule{"text_model.", "text_model."},
    // Some files leave the outermost level out.
    KeyRule{.from = "embeddings.", .to = "text_model.embeddings.", .alternative = true},
    KeyRule{.from = "encoder.", .to = "text_model.encoder.", .alternative = true},
    KeyRule{.from = "final_layer_norm.", .to = "text_model.final_layer_norm.", .alternative = true},
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
    KeyRule{.from = "text_projection.", .to = "text_projection.", .alternative = true},
};

}  // namespace

std::span<const KeyRule> text_rules(TextNames style) {
  if (style == TextNames::kOpenClip) return kOpenClipRules;
  return kTransformersRules;
}

WeightMap map_text_keys(TextNames style, const NameIndex& names) {
  return apply_rules(text_rules(style), names);
}

}  // namespace sinter::arch
