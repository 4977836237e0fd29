#include "sinter/diagnose/picture/black_pixels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace sinter::diagnose::picture {
namespace {

constexpr int kBlack = 2;          // of 255: rounding
constexpr int kPaletteBlack = 12;  // how light the darkest colour of a palette may be
constexpr int kSpotSide = 12;      // a spot fits into a square of this side
constexpr float kVisible = 0.06F;  // brightness beside which black stands out
constexpr int kTile = 64;          // pixels that sides of tiles are multiples of
constexpr int kLatentPixels = 8;   // pixels of the decoder's output per place of the latent

/// A connected area of black pixels: the box around it (the last two are included) and its edges.
struct Area {
  int left, top, right, bottom;
  std::int64_t pixels = 0;
  std::int64_t edges = 0;  // places where it meets two pixels in a row that are not black
  std::int64_t hard = 0;   // of those, where the nearer is about as bright as the farther

  int width() const { return right - left + 1; }
  int height() const { return bottom - top + 1; }
  double fill() const {
    return static_cast<double>(pixels) / (static_cast<double>(width()) * height());
  }
  double hardness() const {
    return edges == 0 ? 0 : static_cast<double>(hard) / static_cast<double>(edges);
  }
};

constexpr std::array kSides{std::pair(1, 0), std::pair(-1, 0), std::pair(0, 1), std::pair(0, -1)};

class Mask {
 public:
  explicit Mask(const Pixels& pixels)
      : pixels_(pixels), width_(pixels.width()), height_(pixels.height()) {
    int darkest = 255;
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x) darkest = std::min(darkest, pixels.strongest(x, y));
    const int black = kBlack + (darkest <= kPaletteBlack ? darkest : 0);
    black_.resize(pixels.count());
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x) black_[index(x, y)] = pixels.strongest(x, y) <= black;
  }

  /// Takes away bars of one size along opposite sides: the frame of a film, not a fault.
  void take_frame() {
    const int top = bar(true, false);
    const int bottom = bar(true, true);
    const int left = bar(false, false);
    const int right = bar(false, true);
    const bool rows = equal_bars(top, bottom, height_);
    const bool columns = equal_bars(left, right, width_);
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x)
        if ((rows && (y < top || y >= height_ - bottom)) ||
            (columns && (x < left || x >= width_ - right)))
          black_[index(x, y)] = 0;
  }

  bool at(int x, int y) const { return black_[index(x, y)] != 0; }
  bool inside(int x, int y) const { return x >= 0 && y >= 0 && x < width_ && y < height_; }
  std::int64_t count() const { return std::count(black_.begin(), black_.end(), 1); }

  /// Whether a black pixel's edge at (x, y) towards (dx, dy) meets full brightness at once; nothing
  /// where there is no such edge.
  std::optional<bool> hard_edge(int x, int y, int dx, int dy) const {
    if (!inside(x + 2 * dx, y + 2 * dy) || at(x + dx, y + dy) || at(x + 2 * dx, y + 2 * dy))
      return std::nullopt;
    const float near = pixels_.luma(x + dx, y + dy);
    const float far = pixels_.luma(x + 2 * dx, y + 2 * dy);
    return near > kVisible && std::abs(near - far) < 0.25F * std::max(near, far);
  }

  /// The areas, connected by their sides.
  std::vector<Area> areas() const {
    std::vector<Area> found;
    std::vector<char> left = black_;
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x)
        if (left[index(x, y)] != 0) found.push_back(take_area(x, y, left));
    return found;
  }

 private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
           static_cast<std::size_t>(x);
  }

  /// Rows (else columns) that are black throughout, counted from the top or left (else the other
  /// end).
  int bar(bool rows, bool from_end) const {
    const int lines = rows ? height_ : width_;
    const int length = rows ? width_ : height_;
    for (int line = 0; line < lines; ++line) {
      const int place = from_end ? lines - 1 - line : line;
      for (int i = 0; i < length; ++i)
        if (!(rows ? at(i, place) : at(place, i))) return line;
    }
    return lines;
  }

  static bool equal_bars(int first, int second, int size) {
    return first > 0 && second > 0 && first + second < size &&
           std::abs(first - second) <= kLatentPixels;
  }

  /// The area around that pixel, which is taken out of `left`.
  Area take_area(int x, int y, std::vector<char>& left) const {
    Area area{x, y, x, y};
    std::vector<std::pair<int, int>> stack{{x, y}};
    left[index(x, y)] = 0;
    while (!stack.empty()) {
      const auto [px, py] = stack.back();
      stack.pop_back();
      ++area.pixels;
      area.left = std::min(area.left, px);
      area.top = std::min(area.top, py);
      area.right = std::max(area.right, px);
      area.bottom = std::max(area.bottom, py);
      for (const auto& [dx, dy] : kSides) {
        add_edge(px, py, dx, dy, area);
        if (!inside(px + dx, py + dy) || left[index(px + dx, py + dy)] == 0) continue;
        left[index(px + dx, py + dy)] = 0;
        stack.emplace_back(px + dx, py + dy);
      }
    }
    return area;
  }

  void add_edge(int x, int y, int dx, int dy, Area& area) const {
    const std::optional<bool> hard = hard_edge(x, y, dx, dy);
    if (!hard) return;
    ++area.edges;
    if (*hard) ++area.hard;
  }

  const Pixels& pixels_;  // of the caller, who outlives this
  int width_;
  int height_;
  std::vector<char> black_;
};

int count_colours(const Pixels& pixels) {
  std::set<int> seen;
  for (int y = 0; y < pixels.height() && seen.size() < 16; ++y)
    for (int x = 0; x < pixels.width() && seen.size() < 16; ++x)
      seen.insert(pixels.byte(x, y, 0) << 16 | pixels.byte(x, y, 1) << 8 | pixels.byte(x, y, 2));
  return static_cast<int>(seen.size());
}

/// The largest rectangle of squares of the latent grid that are black throughout: a tile that was
/// NaN, also where it touches what is black by itself.
Area largest_tile(const Mask& mask, int width, int height) {
  const int columns = width / kLatentPixels;
  const int rows = height / kLatentPixels;
  const auto black = [&](int column, int row) {
    for (int y = row * kLatentPixels; y < (row + 1) * kLatentPixels; ++y)
      for (int x = column * kLatentPixels; x < (column + 1) * kLatentPixels; ++x)
        if (!mask.at(x, y)) return false;
    return true;
  };
  std::vector<int> heights(static_cast<std::size_t>(columns), 0);  // of black squares ending here
  Area best{0, 0, -1, -1};
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      int& run = heights[static_cast<std::size_t>(column)];
      run = black(column, row) ? run + 1 : 0;
    }
    for (int left = 0; left < columns; ++left) {
      int least = rows;
      for (int right = left; right < columns; ++right) {
        least = std::min(least, heights[static_cast<std::size_t>(right)]);
        if (least == 0) break;
        const std::int64_t area =
            std::int64_t{right - left + 1} * least * kLatentPixels * kLatentPixels;
        if (area <= best.pixels) continue;
        best = {left * kLatentPixels, (row - least + 1) * kLatentPixels,
                (right + 1) * kLatentPixels - 1, (row + 1) * kLatentPixels - 1, area};
      }
    }
  }
  return best;
}

/// Counts all of the rectangle's sides inside the picture as edges.
void measure_sides(const Mask& mask, Area& area) {
  const auto look = [&](int x, int y, int dx, int dy) {
    if (!mask.inside(x + dx, y + dy)) return;
    ++area.edges;
    if (mask.hard_edge(x, y, dx, dy).value_or(false)) ++area.hard;
  };
  for (int x = area.left; x <= area.right; ++x) {
    look(x, area.top, 0, -1);
    look(x, area.bottom, 0, 1);
  }
  for (int y = area.top; y <= area.bottom; ++y) {
    look(area.left, y, -1, 0);
    look(area.right, y, 1, 0);
  }
}

bool on_grid(int place, int size) { return place % kLatentPixels == 0 || place == size; }

/// Whether its sides inside the picture lie where tiles of some size end.
bool on_tile(const Area& box, const Pixels& pixels) {
  for (const int place : {box.left, box.right + 1})
    if (place % kTile != 0 && place != pixels.width() && 2 * place != pixels.width()) return false;
  for (const int place : {box.top, box.bottom + 1})
    if (place % kTile != 0 && place != pixels.height() && 2 * place != pixels.height())
      return false;
  return true;
}

bool aligned(const Area& box, const Pixels& pixels) {
  return on_grid(box.left, pixels.width()) && on_grid(box.right + 1, pixels.width()) &&
         on_grid(box.top, pixels.height()) && on_grid(box.bottom + 1, pixels.height());
}

}  // namespace

bool BlackPixels::speckled() const {
  return colours > 8 && hard_spots >= 6 && hard_spots * 3 >= spots && specks >= 0.05;
}

bool BlackPixels::tiled() const { return colours > 8 && (aligned ? tiles >= 0.01 : tiles >= 0.06); }

BlackPixels measure_black(const Pixels& pixels) {
  BlackPixels found;
  Mask mask(pixels);
  mask.take_frame();
  const auto all = static_cast<double>(pixels.count());
  found.share = static_cast<double>(mask.count()) / all;
  if (found.share == 0) return found;
  found.colours = count_colours(pixels);
  std::vector<Area> rectangles;
  for (const Area& area : mask.areas()) {
    if (area.width() <= kSpotSide && area.height() <= kSpotSide) {
      ++found.spots;
      found.specks += static_cast<double>(area.pixels) / (all * found.share);
      if (area.hardness() >= 0.75) ++found.hard_spots;
    } else if (area.width() >= 16 && area.height() >= 16 && area.fill() >= 0.97 &&
               area.hardness() >= 0.5) {
      rectangles.push_back(area);
      found.tiles += static_cast<double>(area.pixels) / all;
    }
  }
  Area tile = largest_tile(mask, pixels.width(), pixels.height());
  measure_sides(mask, tile);
  // A band from side to side may be a thing of the scene; of a tile it has the place and the edge.
  const bool spans = tile.width() == pixels.width() || tile.height() == pixels.height();
  const bool tiled = !spans || (tile.hardness() >= 0.7 && on_tile(tile, pixels));
  if (rectangles.empty() && tiled && tile.width() >= 16 && tile.height() >= 16 &&
      tile.hardness() >= 0.5) {
    rectangles.push_back(tile);
    found.tiles = static_cast<double>(tile.pixels) / all;
  }
  found.aligned = !rectangles.empty() && std::ranges::all_of(rectangles, [&](const Area& area) {
    return aligned(area, pixels);
  });
  return found;
}

}  // namespace sinter::diagnose::picture
