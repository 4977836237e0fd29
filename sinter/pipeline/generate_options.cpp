#include "sinter/pipeline/generate_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sinter/base/error.h"

namespace sinter::pipeline {
namespace {

// The nearest multiples of `factor` around a size: "512 or 520".
std::pair<int, int> around(int size, int factor) {
  const int below = std::max(size / factor, 1) * factor;
  return {below, size % factor == 0 ? below : (size / factor + 1) * factor};
}

void check_size(int width, int height, int factor) {
  if (width >= factor && height >= factor && width <= kLargestSide && height <= kLargestSide &&
      width % factor == 0 && height % factor == 0)
    return;
  const auto [low_width, high_width] = around(std::clamp(width, factor, kLargestSide), factor);
  const auto [low_height, high_height] = around(std::clamp(height, factor, kLargestSide), factor);
  const std::string low = fmt::format("{}x{}", low_width, low_height);
  const std::string high = fmt::format("{}x{}", high_width, high_height);
  throw Error(ErrorCode::kUsage,
              fmt::format("the size is {}x{}, expected multiples of {} from {} to {}", width,
                          height, factor, factor, kLargestSide),
              low == high ? fmt::format("the nearest size is {}", low)
                          : fmt::format("the nearest sizes are {} and {}", low, high));
}

// A folder of one size says so before a graph is opened.
void check_fixed_size(const PipelineFolder& folder, int width, int height) {
  if (!folder.fixed || (folder.fixed->width == width && folder.fixed->height == height)) return;
  throw Error(ErrorCode::kUsage,
              fmt::format("the size is {}x{}, but {} was converted for {}x{} alone", width, height,
                          folder.root.string(), folder.fixed->width, folder.fixed->height),
              fmt::format("{} takes every size; with --static 1x{}x{} just this one",
                          convert_again(folder), height, width));
}

void check_numbers(const GenerateOptions& options) {
  if (options.batch < 1 || options.batch > kLargestBatch) {
    throw Error(ErrorCode::kUsage, fmt::format("the batch is {}, expected 1 to {} pictures",
                                               options.batch, kLargestBatch));
  }
  const auto more = static_cast<std::uint64_t>(options.batch - 1);
  if (options.seed + more < options.seed) {
    throw Error(ErrorCode::kUsage,
                fmt::format("the last of {} seeds from {} would be beyond {}", options.batch,
                            options.seed, std::numeric_limits<std::uint64_t>::max()));
  }
  if (!std::isfinite(options.guidance_scale) || options.guidance_scale > kLargestGuidance) {
    throw Error(ErrorCode::kUsage,
                fmt::format("the guidance scale is {}, expected a number up to {}",
                            options.guidance_scale, kLargestGuidance));
  }
}

void check_pixels(int width, int height, int batch) {
  const std::int64_t pixels = std::int64_t{width} * height * batch;
  if (pixels <= kMostPixels) return;
  throw Error(ErrorCode::kUsage,
              fmt::format("{} pictures of {}x{} are {} pixels, expected at most {} in a batch",
                          batch, width, height, pixels, kMostPixels),
              "a smaller batch, and other seeds for the rest");
}

/// One that was made for another family, told by widths.
void check_fit(const ControlNetPart& control, const UNetWidths& unet) {
  constexpr const char* kHint = "a ControlNet works with models of the family that it was made for";
  if (control.widths.context && unet.context && *control.widths.context != *unet.context)
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("{} reads a context {} wide, the UNet one of {}", control.name,
                            *control.widths.context, *unet.context),
                kHint);
  if (!control.widths.levels.empty() && !unet.levels.empty() &&
      control.widths.levels != unet.levels)
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("the levels of {} are {} wide, those of the UNet {}", control.name,
                            fmt::join(control.widths.levels, ", "), fmt::join(unet.levels, ", ")),
                kHint);
}

}  // namespace

void check_controls(const GenerateOptions& options, const PipelineFolder& folder) {
  if (options.controls.empty()) return;
  if (options.controls.size() != folder.controlnets.size())
    throw Error(ErrorCode::kUsage,
                fmt::format("{} control pictures, expected {}: one for each ControlNet",
                            options.controls.size(), folder.controlnets.size()));
  if (folder.takes_residuals == false)
    throw Error(ErrorCode::kUsage,
                fmt::format("the UNet of {} has no inputs for a ControlNet", folder.root.string()),
                fmt::format("{} --controlnet-inputs makes it with them", convert_again(folder)));
  for (const ControlOptions& control : options.controls) check_control(control);
  for (const ControlNetPart& control : folder.controlnets) check_fit(control, folder.widths);
}

PictureSize checked_size(const GenerateOptions& options, const PipelineFolder& folder) {
  check_numbers(options);
  const PictureSize size{.width = options.width.value_or(folder.default_width),
                         .height = options.height.value_or(folder.default_height)};
  check_size(size.width, size.height, folder.factor);
  check_fixed_size(folder, size.width, size.height);
  check_pixels(size.width, size.height, options.batch);
  return size;
}

}  // namespace sinter::pipeline
