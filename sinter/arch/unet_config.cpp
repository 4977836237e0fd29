#include "sinter/arch/unet_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "sinter/arch/structure.h"

namespace sinter::arch {
namespace {

/// Transformer blocks of the attention there: 0 where there is none.
int read_depth(const WeightMap& weights, const std::string& attention) {
  if (!has_below(weights, attention)) return 0;
  // The projections stand even where the file has lost the blocks between them.
  return std::max(1, count_children(weights, attention + "transformer_blocks.", kMaxDepth));
}

int most_depth(const UNetLevel& level) {
  return level.depths.empty() ? 0 : std::ranges::max(level.depths);
}

UNetLevel read_level(const WeightMap& weights, const std::string& level,
                     std::string_view resampler) {
  UNetLevel result{};
  const int resnets = count_children(weights, level + "resnets.", kMaxResnets);
  for (int index = 0; index < resnets; ++index) {
    const std::string conv = fmt::format("{}resnets.{}.conv1.weight", level, index);
    result.channels = std::max(result.channels, extent(weights, conv, 0));
    result.depths.push_back(read_depth(weights, fmt::format("{}attentions.{}.", level, index)));
  }
  result.resample = has_below(weights, fmt::format("{}{}.0.", level, resampler));
  // A level attends behind every resnet or behind none.
  const int depth = most_depth(result);
  for (int& each : result.depths) each = each == 0 ? depth : each;
  return result;
}

std::vector<UNetLevel> read_levels(const WeightMap& weights, std::string_view side,
                                   std::string_view resampler) {
  std::vector<UNetLevel> result;
  const int levels = count_children(weights, side, kMaxLevels);
  for (int level = 0; level < levels; ++level)
    result.push_back(read_level(weights, fmt::format("{}{}.", side, level), resampler));
  return result;
}

/// The first weight whose name ends so, or null.
const WeightSource* find_ending(const WeightMap& weights, std::string_view ending) {
  const auto& all = weights.all();
  const auto found =
      std::ranges::find_if(all, [&](const auto& entry) { return entry.first.ends_with(ending); });
  return found == all.end() ? nullptr : &found->second;
}

std::size_t resnets_of(const std::vector<UNetLevel>& levels, std::size_t level) {
  return level < levels.size() ? levels[level].depths.size() : 0;
}

/// Levels that a side shows: behind a resampler there is another one.
std::size_t levels_shown(const std::vector<UNetLevel>& levels) {
  return levels.size() + (!levels.empty() && levels.back().resample ? 1 : 0);
}

/// Gives `level` what it has not: the other's width, its attention, its number of resnets.
void fill_level(UNetLevel& level, const UNetLevel& image, std::size_t resnets, bool resample) {
  if (level.channels == 0) level.channels = image.channels;
  const int depth = level.depths.empty() ? most_depth(image) : most_depth(level);
  level.depths.resize(std::max(level.depths.size(), resnets), depth);
  level.resample = level.resample || resample;
}

std::int64_t first_known(std::int64_t a, std::int64_t b) { return a != 0 ? a : b; }

}  // namespace

std::optional<bool> reads_linear_projection(const WeightMap& weights) {
  const WeightSource* projection = find_ending(weights, ".proj_in.weight");
  if (projection == nullptr) return std::nullopt;
  return logical_shape(*projection).size() == 2;
}

UNetConfig read_unet_config(const WeightMap& weights) {
  UNetConfig config{};
  config.in_channels = extent(weights, "conv_in.weight", 1);
  config.out_channels = extent(weights, "conv_out.weight", 0);
  config.model_channels = first_known(extent(weights, "conv_in.weight", 0),
                                      extent(weights, "time_embedding.linear_1.weight", 1));
  config.time_dim = first_known(extent(weights, "time_embedding.linear_1.weight", 0),
                                extent(weights, "time_embedding.linear_2.weight", 1));
  if (const WeightSource* key = find_ending(weights, ".attn2.to_k.weight"))
    if (const Shape shape = logical_shape(*key); shape.size() == 2) config.context_dim = shape[1];
  config.down = read_levels(weights, "down_blocks.", "downsamplers");
  config.up = read_levels(weights, "up_blocks.", "upsamplers");
  config.mid_depth = read_depth(weights, "mid_block.attentions.0.");
  // Around an attention there are two.
  config.mid_resnets = config.mid_depth > 0 ? 2 : count_children(weights, "mid_block.resnets.", 2);
  config.linear_projection = reads_linear_projection(weights).value_or(false);
  config.vector_dim = extent(weights, "add_embedding.linear_1.weight", 1);
  return config;
}

void require_middle(UNetConfig& config, std::optional<bool> said) {
  if (config.mid_resnets > 0) return;
  int depth = 1;
  std::size_t resnets = 0;
  for (const UNetLevel& level : config.down) {
    depth = std::max(depth, most_depth(level));
    resnets = std::max(resnets, level.depths.size());
  }
  // The published networks without a middle are distilled to one resnet a level.
  if (!said.value_or(resnets > 1)) return;
  config.mid_resnets = 2;
  config.mid_depth = depth;
}

void mirror_sides(UNetConfig& config) {
  const std::size_t levels =
      std::max({levels_shown(config.down), levels_shown(config.up), std::size_t{1}});
  std::vector<std::size_t> resnets(levels);  // of the way down
  // A side with fewer levels has lost its last ones: both number theirs in the order of execution.
  for (std::size_t level = 0; level < levels; ++level) {
    const std::size_t image = resnets_of(config.up, levels - 1 - level);
    resnets[level] = std::max(resnets_of(config.down, level), image == 0 ? 0 : image - 1);
  }
  const std::size_t most = std::ranges::max(resnets);
  for (std::size_t& each : resnets) each = each == 0 ? std::max<std::size_t>(most, 1) : each;
  config.down.resize(levels);
  config.up.resize(levels);
  const std::vector<UNetLevel> down = config.down;
  for (std::size_t level = 0; level < levels; ++level) {
    const std::size_t image = levels - 1 - level;
    const bool resample = level + 1 < levels;
    fill_level(config.down[level], config.up[image], resnets[level], resample);
    fill_level(config.up[level], down[image], resnets[image] + 1, resample);
  }
}

}  // namespace sinter::arch
