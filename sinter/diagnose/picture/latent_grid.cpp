#include "sinter/diagnose/picture/latent_grid.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace sinter::diagnose::picture {
namespace {

constexpr int kSide = 8;  // pixels of the decoder's output per place of the latent
constexpr int kFar = 4;   // places beyond which neighbours of a scene have little in common

float largest_difference(const Colour& a, const Colour& b) {
  return std::max({std::abs(a[0] - b[0]), std::abs(a[1] - b[1]), std::abs(a[2] - b[2])});
}

/// Difference of colour without brightness.
float chroma_difference(const Colour& a, const Colour& b) {
  return std::max(std::abs((a[0] - a[1]) - (b[0] - b[1])), std::abs((a[2] - a[1]) - (b[2] - b[1])));
}

class Squares {
 public:
  explicit Squares(const Pixels& pixels)
      : pixels_(pixels), columns_(pixels.width() / kSide), rows_(pixels.height() / kSide) {
    means_.resize(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_));
    for (int row = 0; row < rows_; ++row)
      for (int column = 0; column < columns_; ++column)
        means_[index(column, row)] = mean(column, row);
  }

  int columns() const { return columns_; }
  int rows() const { return rows_; }
  const Colour& mean_at(int column, int row) const { return means_[index(column, row)]; }

  /// Mean step from this square into its neighbour at (dx, dy).
  float border_step(int column, int row, int dx, int dy) const {
    float sum = 0;
    for (int i = 0; i < kSide; ++i) {
      const int x = column * kSide + (dx == 0 ? i : dx > 0 ? kSide - 1 : 0);
      const int y = row * kSide + (dy == 0 ? i : dy > 0 ? kSide - 1 : 0);
      sum += largest_difference(pixels_.at(x, y), pixels_.at(x + dx, y + dy));
    }
    return sum / kSide;
  }

  /// Mean step between neighbours inside the square, in the rougher direction.
  float inner_step(int column, int row) const {
    float across = 0;
    float down = 0;
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x + 1 < kSide; ++x) {
        const int px = column * kSide;
        const int py = row * kSide;
        across += largest_difference(pixels_.at(px + x, py + y), pixels_.at(px + x + 1, py + y));
        down += largest_difference(pixels_.at(px + y, py + x), pixels_.at(px + y, py + x + 1));
      }
    }
    return std::max(across, down) / (kSide * (kSide - 1));
  }

  /// At least three of its four sides (all at the picture's corners) are steps that the inside has
  /// nothing of.
  bool breaks_out(int column, int row) const {
    const float needed = std::max(0.2F, 3 * inner_step(column, row));
    int sides = 0;
    int steps = 0;
    for (const auto& [dx, dy] : {std::pair(1, 0), {-1, 0}, {0, 1}, {0, -1}}) {
      const int c = column + dx;
      const int r = row + dy;
      if (c < 0 || r < 0 || c >= columns_ || r >= rows_) continue;
      ++sides;
      if (border_step(column, row, dx, dy) > needed) ++steps;
    }
    return steps >= std::min(sides, 3);
  }

 private:
  std::size_t index(int column, int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
           static_cast<std::size_t>(column);
  }

  Colour mean(int column, int row) const {
    Colour sum{};
    for (int y = 0; y < kSide; ++y)
      for (int x = 0; x < kSide; ++x)
        for (std::size_t c = 0; c < 3; ++c)
          sum[c] += pixels_.at(column * kSide + x, row * kSide + y, static_cast<int>(c));
    for (float& value : sum) value /= kSide * kSide;
    return sum;
  }

  const Pixels& pixels_;  // of the caller, who outlives this
  int columns_;
  int rows_;
  std::vector<Colour> means_;
};

/// Differences of colour between all squares that are that many places apart.
std::vector<float> colour_steps(const Squares& squares, int apart) {
  std::vector<float> steps;
  for (int row = 0; row < squares.rows(); ++row) {
    for (int column = 0; column < squares.columns(); ++column) {
      const Colour& here = squares.mean_at(column, row);
      if (column + apart < squares.columns())
        steps.push_back(chroma_difference(here, squares.mean_at(column + apart, row)));
      if (row + apart < squares.rows())
        steps.push_back(chroma_difference(here, squares.mean_at(column, row + apart)));
    }
  }
  return steps;
}

/// Median difference of colour between pixels that are that far apart; every third row is enough.
float pixel_step(const Pixels& pixels, int apart) {
  std::vector<float> steps;
  for (int y = 0; y < pixels.height(); y += 3)
    for (int x = 0; x + apart < pixels.width(); ++x)
      steps.push_back(chroma_difference(pixels.at(x, y), pixels.at(x + apart, y)));
  return quantile(steps, 0.5);
}

}  // namespace

bool LatentGrid::pixel_noise() const {
  return pixel_step >= 0.15F && pixel_step > 0.85F * pixel_far && far_step < 0.25F * pixel_step;
}

bool LatentGrid::noisy() const {
  return quarter_step >= 0.06F && median_step >= 0.1F && median_step > 0.5F * far_step;
}

bool LatentGrid::blocky() const {
  return outlier_count >= 4 && outliers >= 0.01 && saturated >= 0.4 && hues >= 2;
}

LatentGrid measure_grid(const Pixels& pixels) {
  LatentGrid found;
  const Squares squares(pixels);
  if (squares.columns() < 3 || squares.rows() < 3) return found;
  std::vector<float> steps = colour_steps(squares, 1);
  found.quarter_step = quantile(steps, 0.25);
  found.median_step = quantile(steps, 0.5);
  std::vector<float> far_steps = colour_steps(squares, kFar);
  found.far_step = quantile(far_steps, 0.5);
  found.pixel_step = pixel_step(pixels, 1);
  found.pixel_far = pixel_step(pixels, kFar * kSide);
  int saturated = 0;
  std::set<int> hues;
  for (int row = 0; row < squares.rows(); ++row) {
    for (int column = 0; column < squares.columns(); ++column) {
      if (!squares.breaks_out(column, row)) continue;
      ++found.outlier_count;
      const Colour& here = squares.mean_at(column, row);
      const auto [least, most] = std::minmax_element(here.begin(), here.end());
      if (*most - *least <= 0.4F) continue;
      ++saturated;
      const float middle = (*most + *least) / 2;
      hues.insert((here[0] > middle ? 4 : 0) + (here[1] > middle ? 2 : 0) +
                  (here[2] > middle ? 1 : 0));
    }
  }
  found.hues = static_cast<int>(hues.size());
  found.outliers = static_cast<double>(found.outlier_count) / (squares.columns() * squares.rows());
  if (found.outlier_count > 0)
    found.saturated = static_cast<double>(saturated) / found.outlier_count;
  return found;
}

}  // namespace sinter::diagnose::picture
