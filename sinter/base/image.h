#pragma once

#include <cstdint>
#include <vector>

namespace sinter {

/// A picture of 8 bits a channel, sRGB, rows from the top, channels together.
struct Image {
  int width = 0;
  int height = 0;
  int channels = 3;                  // 3: RGB, 4: RGB and alpha
  std::vector<std::uint8_t> pixels;  // width * height * channels

  friend bool operator==(const Image&, const Image&) = default;
};

}  // namespace sinter
