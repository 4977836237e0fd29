#include "sinter/pipeline/control/canny.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "sinter/base/error.h"

namespace sinter::pipeline {
namespace {

/// Derivatives and their magnitude at every pixel, with a border of magnitude 0 around.
class Gradient {
 public:
  explicit Gradient(const Image& image)
      : width_(image.width),
        height_(image.height),
        dx_(padded_size()),
        dy_(padded_size()),
        magnitude_(padded_size()) {
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x) differentiate(image, x, y);
  }

  int magnitude(int x, int y) const { return magnitude_[at(x, y)]; }

  /// Whether no neighbour across the edge changes more. Of two equal ones the left, or upper, one
  /// is the edge.
  bool is_ridge(int x, int y) const {
    // Tangents of 22.5 and 67.5 degrees, scaled by 2^15; the second is the first plus 2.
    constexpr std::int64_t kScale = 1 << 15;
    constexpr std::int64_t kTangent = 13573;
    const int dx = dx_[at(x, y)];
    const int dy = dy_[at(x, y)];
    const std::int64_t across = std::abs(dx);
    const std::int64_t along = std::abs(dy) * kScale;
    const int here = magnitude(x, y);
    if (along < across * kTangent) return here > magnitude(x - 1, y) && here >= magnitude(x + 1, y);
    if (along > across * (kTangent + 2 * kScale))
      return here > magnitude(x, y - 1) && here >= magnitude(x, y + 1);
    const int slope = (dx < 0) != (dy < 0) ? -1 : 1;
    return here > magnitude(x - slope, y - 1) && here > magnitude(x + slope, y + 1);
  }

 private:
  std::size_t padded_size() const {
    return static_cast<std::size_t>(width_ + 2) * static_cast<std::size_t>(height_ + 2);
  }
  std::size_t at(int x, int y) const {
    return static_cast<std::size_t>(y + 1) * static_cast<std::size_t>(width_ + 2) +
           static_cast<std::size_t>(x + 1);
  }

  void differentiate(const Image& image, int x, int y) {
    // Beyond the border stands the nearest pixel.
    const auto value = [&](int column, int row, int channel) {
      const auto i = (std::size_t(std::clamp(row, 0, height_ - 1)) * std::size_t(width_) +
                      std::size_t(std::clamp(column, 0, width_ - 1))) *
                         std::size_t(image.channels) +
                     std::size_t(channel);
      return static_cast<int>(image.pixels[i]);
    };
    int most = -1;
    for (int c = 0; c < 3; ++c) {
      const int dx = value(x + 1, y - 1, c) - value(x - 1, y - 1, c) +
                     2 * (value(x + 1, y, c) - value(x - 1, y, c)) + value(x + 1, y + 1, c) -
                     value(x - 1, y + 1, c);
      const int dy = value(x - 1, y + 1, c) - value(x - 1, y - 1, c) +
                     2 * (value(x, y + 1, c) - value(x, y - 1, c)) + value(x + 1, y + 1, c) -
                     value(x + 1, y - 1, c);
      const int sum = std::abs(dx) + std::abs(dy);
      if (sum <= most) continue;
      most = sum;
      dx_[at(x, y)] = dx;
      dy_[at(x, y)] = dy;
      magnitude_[at(x, y)] = sum;
    }
  }

  int width_;
  int height_;
  std::vector<int> dx_;
  std::vector<int> dy_;
  std::vector<int> magnitude_;
};

/// Ridges above `high`, and those above `low` that hang together with one.
std::vector<bool> trace(const Gradient& gradient, int width, int height,
                        const CannyThresholds& thresholds) {
  const auto place = [&](int x, int y) {
    return std::size_t(y) * std::size_t(width) + std::size_t(x);
  };
  std::vector<bool> edge(std::size_t(width) * std::size_t(height), false);
  std::vector<std::pair<int, int>> open;
  const auto mark = [&](int x, int y) {
    edge[place(x, y)] = true;
    open.emplace_back(x, y);
  };
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      if (gradient.magnitude(x, y) > thresholds.high && gradient.is_ridge(x, y)) mark(x, y);
  while (!open.empty()) {
    const auto [x, y] = open.back();
    open.pop_back();
    for (int ny = std::max(y - 1, 0); ny <= std::min(y + 1, height - 1); ++ny)
      for (int nx = std::max(x - 1, 0); nx <= std::min(x + 1, width - 1); ++nx)
        if (!edge[place(nx, ny)] && gradient.magnitude(nx, ny) > thresholds.low &&
            gradient.is_ridge(nx, ny))
          mark(nx, ny);
  }
  return edge;
}

}  // namespace

Image canny_edges(const Image& image, const CannyThresholds& thresholds) {
  if (image.width < 1 || image.height < 1)
    throw Error(ErrorCode::kUsage, "edges of an empty picture");
  if (thresholds.low < 0 || thresholds.high < thresholds.low)
    throw Error(
        ErrorCode::kUsage,
        fmt::format("the thresholds of edges are {} and {}, expected two numbers from 0 up, "
                    "the lower one first",
                    thresholds.low, thresholds.high));
  const std::vector<bool> edge = trace(Gradient(image), image.width, image.height, thresholds);
  Image map{image.width, image.height, 3, {}};
  map.pixels.reserve(edge.size() * 3);
  for (const bool white : edge) map.pixels.insert(map.pixels.end(), 3, white ? 255 : 0);
  return map;
}

}  // namespace sinter::pipeline
