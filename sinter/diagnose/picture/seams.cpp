#include "sinter/diagnose/picture/seams.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace sinter::diagnose::picture {
namespace {

constexpr int kWindow = 16;         // rows over which one step is measured
constexpr float kMostStep = 0.7F;  // larger ones are edges of things
constexpr float kEdge = 0.4F;      // a grid of such steps is drawn: a chessboard
constexpr float kLeastStep = 0.01F;
constexpr float kLeastOfFew = 0.016F;
constexpr int kLeastTile = 16;
constexpr int kTileUnit = 8;  // tiles are whole places of the latent

/// A picture's differences across the lines between its columns (transposed: rows), in one channel.
class Differences {
 public:
  Differences(const Pixels& pixels, bool transposed, int channel)
      : pixels_(pixels), transposed_(transposed), channel_(channel) {}

  int length() const { return transposed_ ? pixels_.width() : pixels_.height(); }
  int lines() const { return (transposed_ ? pixels_.height() : pixels_.width()) - 1; }

  /// Median over a window along the line, and what half of the differences stay within around it.
  std::pair<float, float> step(int line, int window) {
    values_.clear();
    for (int i = 0; i < std::min(length(), kWindow); ++i) {
      const int along = window * kWindow + i;
      values_.push_back(at(line + 1, along) - at(line, along));
    }
    const float median = quantile(values_, 0.5);
    for (float& value : values_) value = std::abs(value - median);
    return {median, quantile(values_, 0.5)};
  }

 private:
  float at(int across, int along) const {
    return transposed_ ? pixels_.at(along, across, channel_) : pixels_.at(across, along, channel_);
  }

  const Pixels& pixels_;  // of the caller, who outlives this
  bool transposed_;
  int channel_;
  std::vector<float> values_;
};

/// How much the picture steps at every line. Counted is what is constant along the line and not
/// there beside it: the edges of things are spread over more than one pixel.
std::vector<float> steps(const Pixels& pixels, bool transposed) {
  Differences channels[] = {
      {pixels, transposed, 0}, {pixels, transposed, 1}, {pixels, transposed, 2}};
  const auto lines = static_cast<std::size_t>(std::max(channels[0].lines(), 0));
  const int windows = std::max(channels[0].length() / kWindow, 1);
  std::vector<float> strength(lines);
  std::vector<std::pair<float, float>> measured(lines);
  std::vector<float> largest(lines);
  for (int window = 0; window < windows; ++window) {
    std::ranges::fill(largest, 0.0F);
    for (Differences& differences : channels) {
      for (std::size_t line = 0; line < lines; ++line)
        measured[line] = differences.step(static_cast<int>(line), window);
      for (std::size_t line = 0; line < lines; ++line) {
        const auto [median, spread] = measured[line];
        const float before = line > 0 ? std::abs(measured[line - 1].first) : 0;
        const float after = line + 1 < lines ? std::abs(measured[line + 1].first) : 0;
        largest[line] =
            std::max(largest[line], std::abs(median) - std::max(before, after) - 0.5F * spread);
      }
    }
    for (std::size_t line = 0; line < lines; ++line)
      strength[line] += std::min(largest[line], kMostStep) / static_cast<float>(windows);
  }
  return strength;
}

/// The lines at every tile's end stand out from those between.
std::optional<Seams> seams_at(const std::vector<float>& strength, int tile) {
  std::vector<float> on;
  std::vector<float> between;
  for (std::size_t line = 0; line < strength.size(); ++line) {
    const int place = static_cast<int>(line + 1) % tile;
    if (place == 0) {
      on.push_back(strength[line]);
    } else if (place != 1 && place != tile - 1) {
      between.push_back(strength[line]);
    }
  }
  if (on.empty() || between.empty()) return std::nullopt;
  const float usual = quantile(between, 0.5);
  // One line or two may be the edges of things, unless they beat nearly everything.
  const bool few = on.size() < 3;
  const float nearly_all = quantile(between, few ? 0.985 : 0.95);
  const float least = few ? kLeastOfFew : kLeastStep;
  float sum = 0;
  std::size_t clear = 0;
  for (const float value : on) {
    sum += value;
    if (value > nearly_all && value > least) ++clear;
  }
  const float mean = sum / static_cast<float>(on.size());
  if (clear * 5 < on.size() * 4 || mean < std::max(least, 2 * usual + 0.01F) || mean > kEdge)
    return std::nullopt;
  return Seams{tile, mean, nearly_all};
}

}  // namespace

Seams measure_seams(const Pixels& pixels) {
  const std::vector<float> columns = steps(pixels, false);
  const std::vector<float> rows = steps(pixels, true);
  const int longest = std::max(pixels.width(), pixels.height());
  for (int tile = kLeastTile; tile < longest; tile += kTileUnit) {
    const bool across = tile < pixels.width();
    const bool down = tile < pixels.height();
    const auto vertical = across ? seams_at(columns, tile) : std::nullopt;
    const auto horizontal = down ? seams_at(rows, tile) : std::nullopt;
    if ((across && !vertical) || (down && !horizontal)) continue;
    // One line alone may be the edge of a thing.
    const int lines =
        (across ? (pixels.width() - 1) / tile : 0) + (down ? (pixels.height() - 1) / tile : 0);
    if (lines < 2 || (across != down && lines < 3)) continue;
    if (!vertical || !horizontal) return vertical ? *vertical : *horizontal;
    return {tile, (vertical->step + horizontal->step) / 2,
            std::max(vertical->between, horizontal->between)};
  }
  return {};
}

}  // namespace sinter::diagnose::picture
