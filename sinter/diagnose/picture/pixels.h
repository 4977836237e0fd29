#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "sinter/base/image.h"

namespace sinter::diagnose::picture {

/// One pixel, 0..1.
using Colour = std::array<float, 3>;

/// A picture to be measured: opaque, on white where it was transparent.
class Pixels {
 public:
  explicit Pixels(const Image& image);

  int width() const { return width_; }
  int height() const { return height_; }
  std::size_t count() const { return bytes_.size() / 3; }

  /// A channel of a pixel, 0..255; 0 <= x < width, 0 <= y < height.
  int byte(int x, int y, int channel) const { return bytes_[index(x, y, channel)]; }
  float at(int x, int y, int channel) const {
    return static_cast<float>(byte(x, y, channel)) / 255;
  }
  Colour at(int x, int y) const { return {at(x, y, 0), at(x, y, 1), at(x, y, 2)}; }

  /// Brightness (ITU-R BT.601 weights).
  float luma(int x, int y) const {
    return 0.299F * at(x, y, 0) + 0.587F * at(x, y, 1) + 0.114F * at(x, y, 2);
  }
  /// The strongest channel of a pixel, 0..255.
  int strongest(int x, int y) const;

 private:
  std::size_t index(int x, int y, int channel) const {
    return (static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
            static_cast<std::size_t>(x)) *
               3 +
           static_cast<std::size_t>(channel);
  }

  int width_;
  int height_;
  std::vector<unsigned char> bytes_;
};

/// The value that this share (0..1) of the values does not exceed; 0 of nothing. Reorders them.
float quantile(std::vector<float>& values, double share);

}  // namespace sinter::diagnose::picture
