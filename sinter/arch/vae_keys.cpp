#include "sinter/arch/vae_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <utility>
#include <vector>

#include "sinter/arch/structure.h"

namespace sinter::arch {
namespace {

/// A key map whose names are put together; a function's static, because the rules refer to its
/// texts.
class Rules {
 public:
  void add(std::string from, std::string to, bool alternative = false) {
    texts_.push_back(std::move(from));
    const std::string_view from_view = texts_.back();
    texts_.push_back(std::move(to));
    rules_.push_back({.from = from_view, .to = texts_.back(), .alternative = alternative});
  }
  std::span<const KeyRule> all() const { return rules_; }

 private:
  std::deque<std::string> texts_;  // which do not move
  std::vector<KeyRule> rules_;
};

constexpr std::array<std::string_view, 2> kHalves{"encoder", "decoder"};

/// A part of the attention in the middle, and all that files call it: whatever a layout calls it
/// first, tools that convert files have put the other layouts' words into it.
struct AttentionPart {
  std::string_view canonical;  // today's name in diffusers
  std::string_view original;
  std::array<std::string_view, 2> others;  // diffusers' before 0.18, and slips; empty ones: none
};
constexpr std::array kAttentionParts{
    AttentionPart{"group_norm", "norm", {}},
    AttentionPart{"to_q", "q", {"query"}},
    AttentionPart{"to_k", "k", {"key"}},
    AttentionPart{"to_v", "v", {"value"}},
    AttentionPart{"to_out.0", "proj_out", {"proj_attn", "to_out"}},
};

/// Every spelling of the attention below `place` ("decoder.mid.attn_1."), `first` before all others
/// where a name has to be given back.
void add_attention(Rules& rules, const std::string& place, std::string_view half,
                   std::string_view AttentionPart::*first) {
  for (const AttentionPart& part : kAttentionParts) {
    const std::string to = fmt::format("{}.mid_block.attentions.0.{}.", half, part.canonical);
    for (const std::string_view name :
         {part.canonical, part.original, part.others[0], part.others[1]}) {
      if (!name.empty()) rules.add(fmt::format("{}{}.", place, name), to, name != part.*first);
    }
  }
}

/// A rule of both halves: "@" in the texts is the half's name.
struct HalvesRule {
  std::string_view from;
  std::string_view to;
};

void add_halves(Rules& rules, std::span<const HalvesRule> both) {
  const auto with = [](std::string_view text, std::string_view half) {
    return std::string(half) + std::string(text.substr(1));
  };
  for (const HalvesRule& rule : both)
    for (const std::string_view half : kHalves)
      rules.add(with(rule.from, half), with(rule.to, half));
}

constexpr std::array kOriginalHalves{
    HalvesRule{"@.mid.block_1.", "@.mid_block.resnets.0."},
    HalvesRule{"@.mid.block_2.", "@.mid_block.resnets.1."},
    HalvesRule{"@.norm_out.", "@.conv_norm_out."},
    HalvesRule{"@.conv_in.", "@.conv_in."},
    HalvesRule{"@.conv_out.", "@.conv_out."},
};

constexpr std::array kOriginalLevels{
    KeyRule{"encoder.down.{}.block.{}.nin_shortcut.",
            "encoder.down_blocks.{}.resnets.{}.conv_shortcut."},
    KeyRule{"encoder.down.{}.block.{}.", "encoder.down_blocks.{}.resnets.{}."},
    KeyRule{"encoder.down.{}.downsample.conv.", "encoder.down_blocks.{}.downsamplers.0.conv."},
    // The original counts levels of the decoder from the picture down, but runs them upwards.
    KeyRule{"decoder.up.{}.block.{}.nin_shortcut.",
            "decoder.up_blocks.{~}.resnets.{}.conv_shortcut."},
    KeyRule{"decoder.up.{}.block.{}.", "decoder.up_blocks.{~}.resnets.{}."},
    KeyRule{"decoder.up.{}.upsample.conv.", "decoder.up_blocks.{~}.upsamplers.0.conv."},
};

void add_pointwise(Rules& rules) {
  for (const char* name : {"quant_conv.", "post_quant_conv."}) rules.add(name, name);
}

std::span<const KeyRule> original_rules() {
  static const Rules kRules = [] {
    Rules rules;
    for (const KeyRule& rule : kOriginalLevels)
      rules.add(std::string(rule.from), std::string(rule.to));
    for (const std::string_view half : kHalves)
      add_attention(rules, fmt::format("{}.mid.attn_1.", half), half, &AttentionPart::original);
    add_halves(rules, kOriginalHalves);
    add_pointwise(rules);
    return rules;
  }();
  return kRules.all();
}

std::span<const KeyRule> diffusers_rules() {
  static const Rules kRules = [] {
    Rules rules;
    for (const std::string_view half : kHalves) {
      add_attention(rules, fmt::format("{}.mid_block.attentions.0.", half), half,
                    &AttentionPart::canonical);
      rules.add(fmt::format("{}.", half), fmt::format("{}.", half));
    }
    add_pointwise(rules);
    return rules;
  }();
  return kRules.all();
}

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
  return apply_rules(original_rules(), names, count_levels(names));
}

WeightMap map_diffusers_vae_keys(const NameIndex& names) {
  return apply_rules(diffusers_rules(), names);
}

std::string original_vae_key(std::string_view canonical, std::int64_t levels,
                             std::span<const std::string_view> names) {
  return name_in_layout(original_rules(), canonical, names, levels)
      .value_or(std::string(canonical));
}

std::string diffusers_vae_key(std::string_view canonical, std::span<const std::string_view> names) {
  return name_in_layout(diffusers_rules(), canonical, names).value_or(std::string(canonical));
}

}  // namespace sinter::arch
