#include "sinter/diagnose/picture/seams.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace sinter::diagnose::picture {
namespace {

constexpr int kWindow = 16;        // pixels of a line over which one step is measured
constexpr float kMostStep = 0.7F;  // larger ones are edges of things
constexpr float kEdge = 0.4F;      // a grid of such steps is drawn: a chessboard
constexpr float kLeastStep = 0.01F;
constexpr float kLeastOfFew = 0.016F;
constexpr float kSeen = 0.006F;        // of a window that takes part in a line
constexpr float kCoverage = 0.5F;      // of its line that a seam at whole tiles takes at least
constexpr float kCoverageMore = 0.6F;  // where there are few lines, or they lie anywhere
constexpr float kAlike = 0.2F;         // how exactly the fields of a chessboard alternate
constexpr double kTelling = 0.3;  // likeness of neighbours in a scene that has something to see
constexpr double kGoesOn = 0.4;   // of that, over a seam
constexpr int kLeastTile = 16;
constexpr int kTileUnit = 8;  // tiles are whole places of the latent

/// A picture's differences across the lines between its columns (transposed: rows), in one channel.
/// reach: pixels on each side that a softened step is spread over, beyond the two that meet.
class Differences {
 public:
  Differences(const Pixels& pixels, bool transposed, int channel, int reach)
      : pixels_(pixels), transposed_(transposed), channel_(channel), reach_(reach) {}

  int length() const { return transposed_ ? pixels_.width() : pixels_.height(); }
  int lines() const { return (transposed_ ? pixels_.height() : pixels_.width()) - 1; }

  /// Median over a window along the line, and what half of the differences stay within around it.
  std::pair<float, float> step(int line, int window) {
    const int before = line - reach_;
    const int behind = line + 1 + reach_;
    if (before < 0 || behind > lines()) return {0, 0};
    values_.clear();
    for (int i = 0; i < std::min(length(), kWindow); ++i) {
      const int along = window * kWindow + i;
      values_.push_back(at(behind, along) - at(before, along));
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
  int reach_;
  std::vector<float> values_;
};

/// What one line between pixels shows along its whole length.
struct Line {
  float strength = 0;         // mean step
  float coverage = 0;         // share of its windows that have one
  std::vector<float> greens;  // the green channel's step in every window
};

/// How much the picture steps at every line. Counted is what is constant along the line and beyond
/// what the lines beside it have: gradients go on, the edges of things are spread.
std::vector<Line> measure_lines(const Pixels& pixels, bool transposed, int reach) {
  Differences channels[] = {{pixels, transposed, 0, reach},
                            {pixels, transposed, 1, reach},
                            {pixels, transposed, 2, reach}};
  const auto count = static_cast<std::size_t>(std::max(channels[0].lines(), 0));
  const auto apart = static_cast<std::size_t>(1 + 2 * reach);
  const int windows = std::max(channels[0].length() / kWindow, 1);
  std::vector<Line> found(count);
  std::vector<std::pair<float, float>> measured(count);
  std::vector<float> largest(count);
  for (int window = 0; window < windows; ++window) {
    std::ranges::fill(largest, 0.0F);
    for (Differences& differences : channels) {
      for (std::size_t line = 0; line < count; ++line)
        measured[line] = differences.step(static_cast<int>(line), window);
      for (std::size_t line = 0; line < count; ++line) {
        const auto [median, spread] = measured[line];
        const float before = line >= apart ? measured[line - apart].first : 0;
        const float after = line + apart < count ? measured[line + apart].first : 0;
        float beyond = std::max(median - std::max(before, after), std::min(before, after) - median);
        // Up and down again at once is a thin line, not a step.
        if (std::min(before * median, after * median) < -0.5F * median * median) beyond = 0;
        largest[line] = std::max(largest[line], beyond - 0.5F * spread);
      }
      if (&differences == &channels[1])
        for (std::size_t line = 0; line < count; ++line)
          found[line].greens.push_back(measured[line].first);
    }
    for (std::size_t line = 0; line < count; ++line) {
      found[line].strength += std::min(largest[line], kMostStep) / static_cast<float>(windows);
      if (largest[line] > kSeen) found[line].coverage += 1 / static_cast<float>(windows);
    }
  }
  return found;
}

/// A grid to be tried: its lines lie at offset, offset + tile, ...
struct Grid {
  int tile;
  int offset;  // 0: at whole tiles from the picture's edge
  int reach;   // of softened steps

  int place(std::size_t line) const { return (static_cast<int>(line + 1) - offset + tile) % tile; }
  /// Its lines inside a picture of that size.
  int lines(int size) const { return (size - 1 - (offset == 0 ? tile : offset)) / tile + 1; }
  /// Whether one of its lines, softened as they may be, lies within [begin, end).
  bool crosses(int begin, int end) const {
    for (int line = begin - reach; line + 1 < end + reach; ++line)
      if (line >= 0 && place(static_cast<std::size_t>(line)) == 0) return true;
    return false;
  }
  bool plain() const { return offset == 0 && reach == 0; }
};

/// Fields that are lighter and darker in turn, all by the same: a chessboard. Tiles differ by
/// chance.
bool drawn(const std::vector<Line>& lines, const Grid& grid) {
  const auto apart = static_cast<std::size_t>(grid.tile / kWindow);
  float rest = 0;
  float whole = 0;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    if (grid.place(line) != 0) continue;
    const std::vector<float>& steps = lines[line].greens;
    for (std::size_t i = 0; i + apart < steps.size(); ++i) {
      rest += std::abs(steps[i] + steps[i + apart]);
      whole += std::abs(steps[i]) + std::abs(steps[i + apart]);
    }
  }
  return whole > 0 && rest < kAlike * whole;
}

/// How alike what changes along two neighbouring columns is (transposed: rows), as a correlation's
/// sums: the same things go on from one into the other.
class Likeness {
 public:
  /// crossing: the grid of the other direction, whose steps say nothing of the scene.
  void add(const Pixels& pixels, bool transposed, int left, int right, const Grid* crossing) {
    const int across = transposed ? pixels.height() : pixels.width();
    const int along = transposed ? pixels.width() : pixels.height();
    if (left < 0 || right >= across) return;
    const auto step = [&](int line, int at, int channel) {
      float sum = 0;
      for (int i = 0; i < kStride; ++i) {
        const auto value = [&](int place) {
          return transposed ? pixels.at(place, line, channel) : pixels.at(line, place, channel);
        };
        sum += value(at + kStride + i) - value(at + i);
      }
      return sum / kStride;
    };
    for (int channel = 0; channel < 3; ++channel) {
      for (int at = 0; at + 2 * kStride <= along; at += kStride) {
        if (crossing != nullptr && crossing->crosses(at, at + 2 * kStride)) continue;
        const float a = step(left, at, channel);
        const float b = step(right, at, channel);
        both_ += a * b;
        first_ += a * a;
        second_ += b * b;
      }
    }
  }
  double correlation() const {
    const double whole = std::sqrt(first_ * second_);
    return whole > 0 ? both_ / whole : 0;
  }

 private:
  static constexpr int kStride = 4;  // pixels whose mean is compared: grain goes on nowhere
  double both_ = 0;
  double first_ = 0;
  double second_ = 0;
};

/// A grid whose lines stand out from those between.
struct Fit {
  Seams seams;
  Grid grid;
  bool drawn;  // but it is a pattern of the scene
};

std::optional<Fit> fit(const std::vector<Line>& lines, const Grid& grid) {
  std::vector<float> on;
  std::vector<float> between;
  float coverage = 0;
  const int beside = 1 + 2 * grid.reach;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    const int place = grid.place(line);
    if (place == 0) {
      on.push_back(lines[line].strength);
      coverage += lines[line].coverage;
    } else if (place > beside && place < grid.tile - beside) {
      between.push_back(lines[line].strength);
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
  // A seam goes on along its line; the edges of things end.
  coverage /= static_cast<float>(on.size());
  if (coverage < (few || !grid.plain() ? kCoverageMore : kCoverage)) return std::nullopt;
  // Where the grid may lie anywhere, something will fit by chance.
  if (!grid.plain() && (few || mean < 1.3F * nearly_all)) return std::nullopt;
  return Fit{{grid.tile, mean, nearly_all}, grid, !few && drawn(lines, grid)};
}

/// The first offset at which that direction has such lines.
std::optional<Fit> first_fit(const std::vector<Line>& lines, int tile, bool anywhere, int reach) {
  for (int offset = 0; offset < (anywhere ? tile : 1); offset += kTileUnit)
    if (auto found = fit(lines, {tile, offset, reach})) return found;
  return std::nullopt;
}

/// Whether the scene goes on over the grid's lines, as it does from tile to tile of one picture;
/// pictures side by side and repeated patterns begin anew. True where the scene is too even to
/// tell.
bool goes_on(const Pixels& pixels, const std::optional<Fit>& vertical,
             const std::optional<Fit>& horizontal) {
  Likeness over;
  Likeness beside;
  for (const bool transposed : {false, true}) {
    const std::optional<Fit>& found = transposed ? horizontal : vertical;
    const std::optional<Fit>& other = transposed ? vertical : horizontal;
    if (!found) continue;
    const Grid* crossing = other ? &other->grid : nullptr;
    const int size = transposed ? pixels.height() : pixels.width();
    const int apart = 1 + 2 * found->grid.reach;
    for (int line = 0; line + 1 < size; ++line) {
      if (found->grid.place(static_cast<std::size_t>(line)) != 0) continue;
      const int left = line - found->grid.reach;
      over.add(pixels, transposed, left, left + apart, crossing);
      beside.add(pixels, transposed, left - 2 * apart, left - apart, crossing);
      beside.add(pixels, transposed, left + 2 * apart, left + 3 * apart, crossing);
    }
  }
  return beside.correlation() < kTelling || over.correlation() > kGoesOn * beside.correlation();
}

/// The smallest tile whose grid shows in every direction in which the picture is larger.
Seams search(const Pixels& pixels, const std::vector<Line>& columns, const std::vector<Line>& rows,
             bool anywhere, int reach) {
  const int longest = std::max(pixels.width(), pixels.height());
  for (int tile = kLeastTile; tile < longest; tile += kTileUnit) {
    const bool across = tile < pixels.width();
    const bool down = tile < pixels.height();
    const auto vertical = across ? first_fit(columns, tile, anywhere, reach) : std::nullopt;
    if (across && !vertical) continue;
    const auto horizontal = down ? first_fit(rows, tile, anywhere, reach) : std::nullopt;
    if (down && !horizontal) continue;
    // One line alone may be the edge of a thing.
    const int lines = (across ? vertical->grid.lines(pixels.width()) : 0) +
                      (down ? horizontal->grid.lines(pixels.height()) : 0);
    if (lines < 2 || (across != down && lines < 3)) continue;
    if ((across && vertical->drawn) || (down && horizontal->drawn)) return {};
    if (!goes_on(pixels, vertical, horizontal)) return {};
    if (!vertical || !horizontal) return vertical ? vertical->seams : horizontal->seams;
    return {tile, (vertical->seams.step + horizontal->seams.step) / 2,
            std::max(vertical->seams.between, horizontal->seams.between)};
  }
  return {};
}

}  // namespace

Seams measure_seams(const Pixels& pixels) {
  const std::vector<Line> columns = measure_lines(pixels, false, 0);
  const std::vector<Line> rows = measure_lines(pixels, true, 0);
  if (const Seams plain = search(pixels, columns, rows, false, 0); plain.tile > 0) return plain;
  if (const Seams moved = search(pixels, columns, rows, true, 0); moved.tile > 0) return moved;
  // Softened by resizing or by a decoder that runs over the edges.
  return search(pixels, measure_lines(pixels, false, 1), measure_lines(pixels, true, 1), false, 1);
}

}  // namespace sinter::diagnose::picture
