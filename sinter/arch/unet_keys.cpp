#include "sinter/arch/unet_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "sinter/arch/structure.h"

namespace sinter::arch {
namespace {

constexpr std::array kDiffusersRules{
    KeyRule{"conv_in.", "conv_in."},
    KeyRule{"time_embedding.", "time_embedding."},
    KeyRule{"add_embedding.", "add_embedding."},
    KeyRule{"down_blocks.", "down_blocks."},
    KeyRule{"mid_block.", "mid_block."},
    KeyRule{"up_blocks.", "up_blocks."},
    KeyRule{"conv_norm_out.", "conv_norm_out."},
    KeyRule{"conv_out.", "conv_out."},
};

/// The tensors outside the numbered blocks.
constexpr std::array kOuterRules{
    KeyRule{"input_blocks.0.0.", "conv_in."},
    KeyRule{"time_embed.0.", "time_embedding.linear_1."},
    KeyRule{"time_embed.2.", "time_embedding.linear_2."},
    KeyRule{"label_emb.0.0.", "add_embedding.linear_1."},
    KeyRule{"label_emb.0.2.", "add_embedding.linear_2."},
    KeyRule{"out.0.", "conv_norm_out."},
    KeyRule{"out.2.", "conv_out."},
};

/// The tensors inside one module of a numbered block.
constexpr std::array kResnetRules{
    KeyRule{"in_layers.0.", "norm1."},          KeyRule{"in_layers.2.", "conv1."},
    KeyRule{"emb_layers.1.", "time_emb_proj."}, KeyRule{"out_layers.0.", "norm2."},
    KeyRule{"out_layers.3.", "conv2."},         KeyRule{"skip_connection.", "conv_shortcut."},
};
constexpr std::array kAttentionRules{
    KeyRule{"norm.", "norm."},
    KeyRule{"proj_in.", "proj_in."},
    KeyRule{"transformer_blocks.", "transformer_blocks."},
    KeyRule{"proj_out.", "proj_out."},
};
constexpr std::array kDownsampleRules{KeyRule{"op.", "conv."}};
constexpr std::array kUpsampleRules{KeyRule{"conv.", "conv."}};

/// A kind of module, told by the names inside: any rule that fits one of its tensors decides.
struct ModuleKind {
  std::string_view place;  // canonical, between the block and the module's number
  std::span<const KeyRule> rules;
  bool counts;      // each is one more resnet of the level
  bool alone;       // one a level, always number 0
  bool ends_level;  // what follows belongs to the next level
};

constexpr std::array kModuleKinds{
    ModuleKind{"resnets", kResnetRules, true, false, false},
    ModuleKind{"attentions", kAttentionRules, false, false, false},
    ModuleKind{"downsamplers", kDownsampleRules, false, true, true},
    ModuleKind{"upsamplers", kUpsampleRules, false, true, true},
};

/// One side of the U: where its blocks stand in the original and in the canonical names.
struct Side {
  std::string_view original;   // followed by a block's number
  std::string_view canonical;  // followed by the level's number
  int first;                   // number of the first block
};
constexpr Side kDown{"input_blocks.", "down_blocks.", 1};
constexpr Side kUp{"output_blocks.", "up_blocks.", 0};

// More than any trained UNet has; a forged number must not make us count on.
constexpr int kMaxBlocks = kMaxLevels * kMaxResnets;
constexpr int kMaxModules = 4;

const ModuleKind* kind_of(const NameIndex& module) {
  for (const ModuleKind& kind : kModuleKinds)
    for (const KeyRule& rule : kind.rules)
      if (module.has_below(rule.from)) return &kind;
  return nullptr;
}

void take_over(WeightMap& weights, const ModuleKind& kind, const NameIndex& module,
               const std::string& canonical) {
  const WeightMap inside = apply_rules(kind.rules, module);
  for (const auto& [name, source] : inside.all()) weights.add(canonical + name, source);
}

/// Maps the modules of a block; returns whether the block is the last of its level.
/// resnets: of the level so far, counted on.
bool map_block(WeightMap& weights, const NameIndex& block, const std::string& canonical,
               int& resnets) {
  bool ends = false;
  for (int position = 0; position < kMaxModules; ++position) {
    const NameIndex module = block.without(fmt::format("{}.", position));
    const ModuleKind* kind = kind_of(module);
    if (kind == nullptr) continue;
    if (kind->counts) ++resnets;
    // An attention has the number of the resnet before it.
    const int number = kind->alone ? 0 : std::max(0, resnets - 1);
    take_over(weights, *kind, module, fmt::format("{}{}.{}.", canonical, kind->place, number));
    ends = ends || kind->ends_level;
  }
  return ends;
}

void map_side(WeightMap& weights, const NameIndex& names, const Side& side) {
  int level = 0;
  int resnets = 0;
  for (int number = side.first; number < kMaxBlocks; ++number) {
    const NameIndex block = names.without(fmt::format("{}{}.", side.original, number));
    if (block.all().empty()) continue;
    if (map_block(weights, block, fmt::format("{}{}.", side.canonical, level), resnets)) {
      ++level;
      resnets = 0;
    }
  }
}

}  // namespace

WeightMap map_original_unet_keys(const NameIndex& names) {
  WeightMap weights = apply_rules(kOuterRules, names);
  map_side(weights, names, kDown);
  int resnets = 0;
  map_block(weights, names.without("middle_block."), "mid_block.", resnets);
  map_side(weights, names, kUp);
  return weights;
}

WeightMap map_diffusers_unet_keys(const NameIndex& names) {
  return apply_rules(kDiffusersRules, names);
}

}  // namespace sinter::arch
