#include "sinter/arch/controlnet_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/arch/structure.h"
#include "sinter/arch/unet_config.h"
#include "sinter/base/error.h"

namespace sinter::arch {
namespace {

constexpr std::string_view kHint = "controlnet_cond_embedding.";
// Three halvings from pixels to the cells of a latent, in every published one.
constexpr int kUsualHalvings = 3;

std::string weight_at(std::string_view module) { return fmt::format("{}{}.weight", kHint, module); }

std::vector<std::int64_t> read_hint_channels(const WeightMap& weights) {
  std::vector<std::int64_t> widths{extent(weights, weight_at("conv_in"), 0)};
  const int found = count_children(weights, fmt::format("{}blocks.", kHint), kMaxLevels);
  const int halvings = found == 0 ? kUsualHalvings : (found + 1) / 2;
  // A pair a resolution: one layer that keeps the width, one that halves the picture.
  for (int i = 0; i < halvings; ++i)
    widths.push_back(extent(weights, weight_at(fmt::format("blocks.{}", 2 * i + 1)), 0));
  return widths;
}

bool has_lost_blocks(const UNetConfig& config, const WeightMap& weights) {
  std::size_t skips = 1;
  for (const UNetLevel& level : config.down)
    skips += level.depths.size() + (level.resample ? 1 : 0);
  const int residuals =
      count_children(weights, "controlnet_down_blocks.", kMaxLevels * kMaxResnets);
  const bool has_gap = std::ranges::any_of(config.down, [](const UNetLevel& level) {
    return level.depths.empty() || level.channels == 0;
  });
  return config.down.empty() || has_gap || config.down.back().resample ||
         static_cast<std::size_t>(residuals) > skips;
}

std::vector<std::int64_t> widths(const UNetConfig& config) {
  std::vector<std::int64_t> result;
  for (const UNetLevel& level : config.down) result.push_back(level.channels);
  return result;
}

std::vector<std::size_t> resnets(const UNetConfig& config) {
  std::vector<std::size_t> result;
  for (const UNetLevel& level : config.down) result.push_back(level.depths.size());
  return result;
}

[[noreturn]] void do_not_fit(std::string message) {
  throw Error(ErrorCode::kShapeMismatch, std::move(message),
              "a ControlNet works with models of the family that it was made for; sinter inspect "
              "says which that is");
}

}  // namespace

ControlNetConfig read_controlnet_config(const WeightMap& weights) {
  ControlNetConfig config{.unet = read_unet_config(weights),
                          .image_channels = extent(weights, weight_at("conv_in"), 1),
                          .hint_channels = read_hint_channels(weights)};
  if (has_lost_blocks(config.unet, weights)) mirror_sides(config.unet);
  config.unet.up.clear();
  return config;
}

void require_fitting(const UNetConfig& control, const UNetConfig& unet) {
  const bool same_text = control.context_dim == 0 || control.context_dim == unet.context_dim;
  if (!same_text)
    do_not_fit(fmt::format("the ControlNet reads a context {} wide, the UNet one of {}",
                           control.context_dim, unet.context_dim));
  if (control.vector_dim != unet.vector_dim)
    do_not_fit(fmt::format("the ControlNet takes {} numbers beside the text, the UNet {}",
                           control.vector_dim, unet.vector_dim));
  if (widths(control) != widths(unet))
    do_not_fit(fmt::format("the levels of the ControlNet are {} wide, those of the UNet {}",
                           fmt::join(widths(control), ", "), fmt::join(widths(unet), ", ")));
  if (resnets(control) != resnets(unet))
    do_not_fit(fmt::format("the levels of the ControlNet have {} resnets, those of the UNet {}",
                           fmt::join(resnets(control), ", "), fmt::join(resnets(unet), ", ")));
}

}  // namespace sinter::arch
