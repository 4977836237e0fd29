#include "sinter/arch/unet_heads.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinter/base/error.h"

namespace sinter::arch {
namespace {

bool attends(const UNetLevel& level) {
  return std::ranges::any_of(level.depths, [](int depth) { return depth > 0; });
}

/// A level with attention, as far as its width is known.
struct Attention {
  std::size_t level;
  std::int64_t channels;
};

std::vector<Attention> attentions(const UNetConfig& config) {
  std::vector<Attention> result;
  for (std::size_t level = 0; level < config.down.size(); ++level) {
    const bool before_middle = level + 1 == config.down.size() && config.mid_depth > 0;
    if (config.down[level].channels > 0 && (attends(config.down[level]) || before_middle))
      result.push_back({level, config.down[level].channels});
  }
  return result;
}

void check_family_heads(const UNetConfig& config, const std::vector<Attention>& attentions) {
  for (const Attention& attention : attentions) {
    const std::int64_t divisor = config.heads > 0 ? config.heads : config.head_width;
    if (divisor > 0 && attention.channels % divisor == 0) continue;
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("level {} of the UNet has {} channels, expected a multiple of {}",
                            attention.level, attention.channels,
                            config.heads > 0 ? fmt::format("its {} heads", divisor)
                                             : fmt::format("the {} of a head", divisor)),
                "the heads of a UNet cannot be read from shapes; a folder's config.json can say "
                "them (attention_head_dim)");
  }
}

}  // namespace

void set_heads(UNetConfig& config, const UNetSettings& settings) {
  const std::vector<Attention> levels = attentions(config);
  const std::vector<std::int64_t>& heads = settings.heads;
  if (heads.empty()) return check_family_heads(config, levels);
  if (settings.heads_per_level && !config.down.empty() && heads.size() != config.down.size())
    throw Error(ErrorCode::kBadFile, fmt::format("{}, expected a number for each of the {} levels",
                                                 settings.heads_found, config.down.size()));
  const auto of_level = [&](std::size_t level) { return heads[std::min(level, heads.size() - 1)]; };
  for (const Attention& attention : levels)
    if (attention.channels % of_level(attention.level) != 0)
      throw Error(ErrorCode::kShapeMismatch,
                  fmt::format("{}, expected a number that divides the {} channels of level {}",
                              settings.heads_found, attention.channels, attention.level));
  if (levels.empty()) return;
  const std::int64_t first = of_level(levels.front().level);
  const std::int64_t width = levels.front().channels / first;
  const auto all = [&](auto holds) { return std::ranges::all_of(levels, holds); };
  config.heads = 0;
  config.head_width = 0;
  if (all([&](const Attention& each) { return of_level(each.level) == first; })) {
    config.heads = first;
  } else if (all([&](const Attention& each) {
               return each.channels / of_level(each.level) == width;
             })) {
    config.head_width = width;
  } else {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("{}, expected one number for all levels, or one width of heads",
                            settings.heads_found));
  }
}

}  // namespace sinter::arch
