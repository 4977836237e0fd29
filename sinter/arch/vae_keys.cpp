#include "sinter/arch/vae_keys.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>

#include "sinter/arch/structure.h"

namespace sinter::arch {
namespace {

constexpr std::array kOriginalRules{
    KeyRule{"encoder.down.{}.block.{}.nin_shortcut.",
            "encoder.down_blocks.{}.resnets.{}.conv_shortcut."},
    KeyRule{"encoder.down.{}.block.{}.", "encoder.down_blocks.{}.resnets.{}."},
    KeyRule{"encoder.down.{}.downsample.conv.", "encoder.down_blocks.{}.downsamplers.0.conv."},
    // The original counts levels of the decoder from the picture down, but runs them upwards.
    KeyRule{"decoder.up.{}.block.{}.nin_shortcut.",
            "decoder.up_blocks.{~}.resnets.{}.conv_shortcut."},
    KeyRule{"decoder.up.{}.block.{}.", "decoder.up_blocks.{~}.resnets.{}."},
    KeyRule{"decoder.up.{}.upsample.conv.", "decoder.up_blocks.{~}.upsamplers.0.conv."},
    KeyRule{"encoder.mid.block_1.", "encoder.mid_block.resnets.0."},
    KeyRule{"encoder.mid.block_2.", "encoder.mid_block.resnets.1."},
    KeyRule{"encoder.mid.attn_1.norm.", "encoder.mid_block.attentions.0.group_norm."},
    KeyRule{"encoder.mid.attn_1.q.", "encoder.mid_block.attentions.0.to_q."},
    KeyRule{"encoder.mid.attn_1.k.", "encoder.mid_block.attentions.0.to_k."},
    KeyRule{"encoder.mid.attn_1.v.", "encoder.mid_block.attentions.0.to_v."},
    KeyRule{"encoder.mid.attn_1.proj_out.", "encoder.mid_block.attentions.0.to_out.0."},
    KeyRule{"decoder.mid.block_1.", "decoder.mid_block.resnets.0."},
    KeyRule{"decoder.mid.block_2.", "decoder.mid_block.resnets.1."},
    KeyRule{"decoder.mid.attn_1.norm.", "decoder.mid_block.attentions.0.group_norm."},
    KeyRule{"decoder.mid.attn_1.q.", "decoder.mid_block.attentions.0.to_q."},
    KeyRule{"decoder.mid.attn_1.k.", "decoder.mid_block.attentions.0.to_k."},
    KeyRule{"decoder.mid.attn_1.v.", "decoder.mid_block.attentions.0.to_v."},
    KeyRule{"decoder.mid.attn_1.proj_out.", "decoder.mid_block.attentions.0.to_out.0."},
    KeyRule{"encoder.norm_out.", "encoder.conv_norm_out."},
    KeyRule{"decoder.norm_out.", "decoder.conv_norm_out."},
    KeyRule{"encoder.conv_in.", "encoder.conv_in."},
    KeyRule{"encoder.conv_out.", "encoder.conv_out."},
    KeyRule{"decoder.conv_in.", "decoder.conv_in."},
    KeyRule{"decoder.conv_out.", "decoder.conv_out."},
    KeyRule{"quant_conv.", "quant_conv."},
    KeyRule{"post_quant_conv.", "post_quant_conv."},
};

/// What diffusers called its attention before version 0.18.
constexpr KeyRule older(std::string_view from, std::string_view to) {
  return {.from = from, .to = to, .alternative = true};
}

constexpr std::array kDiffusersRules{
    older("encoder.mid_block.attentions.{}.query.", "encoder.mid_block.attentions.{}.to_q."),
    older("encoder.mid_block.attentions.{}.key.", "encoder.mid_block.attentions.{}.to_k."),
    older("encoder.mid_block.attentions.{}.value.", "encoder.mid_block.attentions.{}.to_v."),
    older("encoder.mid_block.attentions.{}.proj_attn.",
          "encoder.mid_block.attentions.{}.to_out.0."),
    older("decoder.mid_block.attentions.{}.query.", "decoder.mid_block.attentions.{}.to_q."),
    older("decoder.mid_block.attentions.{}.key.", "decoder.mid_block.attentions.{}.to_k."),
    older("decoder.mid_block.attentions.{}.value.", "decoder.mid_block.attentions.{}.to_v."),
    older("decoder.mid_block.attentions.{}.proj_attn.",
          "decoder.mid_block.attentions.{}.to_out.0."),
    KeyRule{"encoder.", "encoder."},
    KeyRule{"decoder.", "decoder."},
    KeyRule{"quant_conv.", "quant_conv."},
    KeyRule{"post_quant_conv.", "post_quant_conv."},
};

/// Levels of the original layout: one more than the largest number behind "decoder.up." or
/// "encoder.down.". Both halves have as many, so that one tells what the other has lost.
std::int64_t count_levels(const NameIndex& names) {
  std::int64_t levels = 0;
  for (const std::string_view prefix : {"decoder.up.", "encoder.down."}) {
    for (const NamedTensor& entry : names.below(prefix)) {
      std::int64_t level = 0;
      const std::string_view rest = entry.name.substr(prefix.size());
      const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), level);
      if (parsed.ec == std::errc() && level >= 0 && level < kMaxLevels)
        levels = std::max(levels, level + 1);
    }
  }
  return levels;
}

}  // namespace

WeightMap map_original_vae_keys(const NameIndex& names) {
  return apply_rules(kOriginalRules, names, count_levels(names));
}

WeightMap map_diffusers_vae_keys(const NameIndex& names) {
  return apply_rules(kDiffusersRules, names);
}

std::string original_vae_key(std::string_view canonical, std::int64_t levels) {
  return name_in_layout(kOriginalRules, canonical, {}, levels).value_or(std::string(canonical));
}

std::string diffusers_vae_key(std::string_view canonical, std::span<const std::string_view> names) {
  return name_in_layout(kDiffusersRules, canonical, names).value_or(std::string(canonical));
}

}  // namespace sinter::arch
