#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sinter/plan/plan.h"

namespace sinter::plan {

/// A picture's size in pixels.
struct PictureSize {
  std::int64_t width;
  std::int64_t height;
};

/// "512x512:768x512": sizes as width x height, the main one first.
/// @throws Error{kUsage} when a side is no multiple of 8 from 64 to 16384.
std::vector<PictureSize> picture_sizes(std::string_view text);

/// "1" or "1:4": the usual number and the most, from 1 to 64.
/// @throws Error{kUsage} naming what was counted.
Range usual_and_most(std::string_view text, std::string_view what);

/// "8GB", "8 GiB", "8192MB": memory as cards are sold, in units of 1024.
/// @throws Error{kUsage}.
std::uint64_t memory_size(std::string_view text);

/// How far an engine reaches beyond the sizes that are used.
enum class Margin {
  kWide,    // from about half the smallest side to a quarter over the largest, in steps of 64
  kNarrow,  // from the smallest to the largest
};

/// The range that serves the sizes used, tuned for the first.
void set_pictures(Sizes& sizes, const std::vector<PictureSize>& used, Margin margin);

/// Nothing but the usual size: what an engine built for it alone would be.
Sizes only_usual(const Sizes& sizes);

}  // namespace sinter::plan
