#include "sinter/pipeline/control/resample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

#include "sinter/base/error.h"

namespace sinter::pipeline {
namespace {

constexpr double kLobes = 3;

double sinc(double x) {
  if (x == 0) return 1;
  return std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
}

double lanczos(double x) { return std::abs(x) < kLobes ? sinc(x) * sinc(x / kLobes) : 0; }

/// A part of an axis, in pixels.
struct Range {
  double begin;
  double end;
};

/// The source pixels of one result pixel, and how much each counts.
struct Taps {
  std::size_t first;
  std::vector<double> weights;  // together 1
};

std::vector<Taps> taps_of(int pixels, const Range& range, int count) {
  const double scale = (range.end - range.begin) / count;
  const double widening = std::max(scale, 1.0);
  std::vector<Taps> result;
  for (int i = 0; i < count; ++i) {
    const double centre = range.begin + (i + 0.5) * scale;
    const int first = std::max(0, static_cast<int>(centre - kLobes * widening + 0.5));
    const int end = std::min(pixels, static_cast<int>(centre + kLobes * widening + 0.5));
    Taps taps{.first = static_cast<std::size_t>(first), .weights = {}};
    double sum = 0;
    for (int at = first; at < end; ++at) {
      taps.weights.push_back(lanczos((at - centre + 0.5) / widening));
      sum += taps.weights.back();
    }
    for (double& weight : taps.weights) weight /= sum;
    result.push_back(std::move(taps));
  }
  return result;
}

std::uint8_t to_byte(double value) {
  return static_cast<std::uint8_t>(std::clamp(std::floor(value + 0.5), 0.0, 255.0));
}

/// Three bytes of a line, `stride` bytes apart, weighed.
void weigh(std::span<const std::uint8_t> bytes, std::size_t begin, std::size_t stride,
           const Taps& taps, std::uint8_t* to) {
  for (std::size_t c = 0; c < 3; ++c) {
    double sum = 0;
    for (std::size_t k = 0; k < taps.weights.size(); ++k)
      sum += taps.weights[k] * bytes[begin + (taps.first + k) * stride + c];
    to[c] = to_byte(sum);
  }
}

Image wider(const Image& image, const Range& range, int width) {
  const std::vector<Taps> taps = taps_of(image.width, range, width);
  const auto channels = static_cast<std::size_t>(image.channels);
  const std::size_t row = static_cast<std::size_t>(image.width) * channels;
  Image result{width, image.height, 3, {}};
  result.pixels.resize(taps.size() * static_cast<std::size_t>(image.height) * 3);
  for (std::size_t y = 0; y < static_cast<std::size_t>(image.height); ++y)
    for (std::size_t x = 0; x < taps.size(); ++x)
      weigh(image.pixels, y * row, channels, taps[x], &result.pixels[(y * taps.size() + x) * 3]);
  return result;
}

Image higher(const Image& image, const Range& range, int height) {
  const std::vector<Taps> taps = taps_of(image.height, range, height);
  const std::size_t row = static_cast<std::size_t>(image.width) * 3;
  Image result{image.width, height, 3, {}};
  result.pixels.resize(taps.size() * row);
  for (std::size_t y = 0; y < taps.size(); ++y)
    for (std::size_t x = 0; x < row; x += 3)
      weigh(image.pixels, x, row, taps[y], &result.pixels[y * row + x]);
  return result;
}

/// The middle of an axis.
Range middle(int pixels, double length) {
  const double begin = (pixels - length) / 2;
  return {begin, begin + length};
}

}  // namespace

Image fitted(const Image& image, int width, int height) {
  if (image.width < 1 || image.height < 1 || width < 1 || height < 1)
    throw Error(ErrorCode::kUsage, fmt::format("a picture of {}x{} cannot become one of {}x{}",
                                               image.width, image.height, width, height));
  if (image.width == width && image.height == height && image.channels == 3) return image;
  // One side is taken whole, of the other what has the proportions of the result.
  const double scale = std::min(static_cast<double>(image.width) / width,
                                static_cast<double>(image.height) / height);
  const Image row = wider(image, middle(image.width, scale * width), width);
  return higher(row, middle(image.height, scale * height), height);
}

}  // namespace sinter::pipeline
