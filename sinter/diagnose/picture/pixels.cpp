#include "sinter/diagnose/picture/pixels.h"

#include <algorithm>
#include <cmath>

namespace sinter::diagnose::picture {

Pixels::Pixels(const Image& image) : width_(image.width), height_(image.height) {
  const auto channels = static_cast<std::size_t>(image.channels);
  const std::size_t pixels = image.pixels.size() / channels;
  bytes_.resize(pixels * 3);
  for (std::size_t i = 0; i < pixels; ++i) {
    const unsigned alpha = channels == 4 ? image.pixels[i * channels + 3] : 255U;
    for (std::size_t c = 0; c < 3; ++c) {
      const unsigned shown = image.pixels[i * channels + c] * alpha + 255U * (255U - alpha);
      bytes_[i * 3 + c] = static_cast<unsigned char>((shown + 127U) / 255U);
    }
  }
}

int Pixels::strongest(int x, int y) const {
  return std::max({byte(x, y, 0), byte(x, y, 1), byte(x, y, 2)});
}

float quantile(std::vector<float>& values, double share) {
  if (values.empty()) return 0;
  const double place = share * static_cast<double>(values.size() - 1);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::lround(place));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace sinter::diagnose::picture
