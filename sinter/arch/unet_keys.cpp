#include "sinter/arch/unet_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

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

// More than any trained UNet has; a forged number must not make us count on.
constexpr int kMaxBlocks = kMaxLevels * kMaxResnets;

/// How the numbered blocks fall into levels.
///
/// Every block of the way down leaves a skip connection, conv_in (block 0) too, and every block of
/// the way up takes one, the last first. A downsampler's is the first of its resolution, so that
/// the block which takes it is the last of its level and has the upsampler. What one side has lost,
/// the other still tells.
struct Blocks {
  int last = 0;                                // number of the last block of either side
  std::array<bool, kMaxBlocks> downsampler{};  // by number on the way down
};

/// Where a module stands in both layouts.
struct ModulePlace {
  std::string original;   // "input_blocks.4.1."
  std::string canonical;  // "down_blocks.1.attentions.0."
  std::span<const KeyRule> rules;
  std::string unless = {};  // it stands elsewhere in a block with that attention (canonical)
};

/// Levels and resnets counted while walking the blocks of a side.
class Counter {
 public:
  explicit Counter(std::string_view side) : side_(side) {}
  std::string level() const { return fmt::format("{}{}.", side_, level_); }
  int next_resnet() { return resnet_++; }
  void end_level() {
    ++level_;
    resnet_ = 0;
  }

 private:
  std::string_view side_;
  int level_ = 0;
  int resnet_ = 0;
};

/// Returns the canonical name of the block's attention.
std::string add_resnet(std::vector<ModulePlace>& places, const std::string& block,
                       Counter& counter) {
  const int number = counter.next_resnet();
  const std::string attention = fmt::format("{}attentions.{}.", counter.level(), number);
  places.push_back(
      {block + "0.", fmt::format("{}resnets.{}.", counter.level(), number), kResnetRules});
  places.push_back({block + "1.", attention, kAttentionRules});
  return attention;
}

std::vector<ModulePlace> module_places(const Blocks& blocks) {
  std::vector<ModulePlace> places;
  Counter down("down_blocks.");
  for (int number = 1; number <= blocks.last; ++number) {
    const std::string block = fmt::format("input_blocks.{}.", number);
    if (!blocks.downsampler[static_cast<std::size_t>(number)]) {
      add_resnet(places, block, down);
      continue;
    }
    places.push_back({block + "0.", down.level() + "downsamplers.0.", kDownsampleRules});
    down.end_level();
  }
  places.push_back({"middle_block.0.", "mid_block.resnets.0.", kResnetRules});
  places.push_back({"middle_block.1.", "mid_block.attentions.0.", kAttentionRules});
  places.push_back(
      {"middle_block.1.", "mid_block.resnets.1.", kResnetRules, "mid_block.attentions.0."});
  places.push_back({"middle_block.2.", "mid_block.resnets.1.", kResnetRules});
  Counter up("up_blocks.");
  for (int number = 0; number <= blocks.last; ++number) {
    const std::string block = fmt::format("output_blocks.{}.", number);
    const std::string attention = add_resnet(places, block, up);
    if (!blocks.downsampler[static_cast<std::size_t>(blocks.last - number)]) continue;
    // Behind the attention, where the block has one.
    places.push_back({block + "1.", up.level() + "upsamplers.0.", kUpsampleRules, attention});
    places.push_back({block + "2.", up.level() + "upsamplers.0.", kUpsampleRules});
    up.end_level();
  }
  return places;
}

bool has_any(const NameIndex& names, const std::string& module, std::span<const KeyRule> rules) {
  return std::ranges::any_of(
      rules, [&](const KeyRule& rule) { return names.has_below(module + std::string(rule.from)); });
}

bool has_block(const NameIndex& names, const std::string& block) {
  return has_any(names, block + "0.", kResnetRules) ||
         has_any(names, block + "0.", kDownsampleRules) ||
         has_any(names, block + "1.", kAttentionRules);
}

Blocks read_blocks(const NameIndex& names) {
  Blocks blocks;
  for (int number = 0; number < kMaxBlocks; ++number) {
    if (has_block(names, fmt::format("input_blocks.{}.", number)) ||
        has_block(names, fmt::format("output_blocks.{}.", number)))
      blocks.last = number;
  }
  for (int number = 1; number <= blocks.last; ++number) {
    const std::string down = fmt::format("input_blocks.{}.0.", number);
    const std::string up = fmt::format("output_blocks.{}.", blocks.last - number);
    const bool upsampler =
        has_any(names, up + "1.", kUpsampleRules) || has_any(names, up + "2.", kUpsampleRules);
    blocks.downsampler[static_cast<std::size_t>(number)] =
        has_any(names, down, kDownsampleRules) ||
        (upsampler && !has_any(names, down, kResnetRules));
  }
  return blocks;
}

Blocks blocks_of(const UNetConfig& config) {
  Blocks blocks;
  for (const UNetLevel& level : config.down) {
    blocks.last += static_cast<int>(level.depths.size());
    if (level.resample && blocks.last + 1 < kMaxBlocks)
      blocks.downsampler[static_cast<std::size_t>(++blocks.last)] = true;
  }
  return blocks;
}

/// Canonical names of the attentions that share their block with something behind them.
std::set<std::string> attentions_of(const UNetConfig& config) {
  std::set<std::string> names;
  if (config.mid_depth > 0) names.insert("mid_block.attentions.0.");
  for (std::size_t level = 0; level < config.up.size(); ++level) {
    const std::vector<int>& depths = config.up[level].depths;
    if (!depths.empty() && depths.back() > 0)
      names.insert(fmt::format("up_blocks.{}.attentions.{}.", level, depths.size() - 1));
  }
  return names;
}

}  // namespace

WeightMap map_original_unet_keys(const NameIndex& names) {
  WeightMap weights = apply_rules(kOuterRules, names);
  for (const ModulePlace& place : module_places(read_blocks(names))) {
    const WeightMap inside = apply_rules(place.rules, names.without(place.original));
    for (const auto& [name, source] : inside.all()) weights.add(place.canonical + name, source);
  }
  return weights;
}

std::string original_unet_key(const UNetConfig& config, std::string_view canonical) {
  if (const auto outer = name_in_layout(kOuterRules, canonical, {})) return *outer;
  const std::set<std::string> attentions = attentions_of(config);
  for (const ModulePlace& place : module_places(blocks_of(config))) {
    if (!canonical.starts_with(place.canonical)) continue;
    if (attentions.contains(place.unless)) continue;
    const auto inside = name_in_layout(place.rules, canonical.substr(place.canonical.size()), {});
    if (inside) return place.original + *inside;
  }
  return std::string(canonical);
}

WeightMap map_diffusers_unet_keys(const NameIndex& names) {
  return apply_rules(kDiffusersRules, names);
}

}  // namespace sinter::arch
