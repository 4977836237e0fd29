#include "sinter/pipeline/image.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "sinter/base/error.h"

namespace sinter::pipeline {
namespace {

std::uint8_t to_byte(float value) {
  const float scaled = std::clamp(value / 2.0f + 0.5f, 0.0f, 1.0f) * 255.0f;
  if (std::isnan(scaled)) return 0;
  return static_cast<std::uint8_t>(std::nearbyint(scaled));  // halves to even, as NumPy rounds
}

// The first byte of a pixel.
std::ptrdiff_t offset(const Image& image, int x, int y) {
  return (std::ptrdiff_t{y} * image.width + x) * image.channels;
}

void paste(const Image& image, int left, int top, Image& sheet) {
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      std::copy_n(image.pixels.begin() + offset(image, x, y), 3,
                  sheet.pixels.begin() + offset(sheet, left + x, top + y));
    }
  }
}

}  // namespace

std::vector<Image> images_from_tensor(const Tensor& samples) {
  const Shape& shape = samples.shape();
  if (shape.size() != 4 || shape[1] != 3) {
    throw Error(ErrorCode::kShapeMismatch,
                "the decoder's output is " + to_string(shape) + ", expected [N,3,H,W]");
  }
  const auto plane = static_cast<std::size_t>(shape[2] * shape[3]);
  const std::span<const float> values = samples.floats();
  std::vector<Image> images;
  for (std::size_t n = 0; n < static_cast<std::size_t>(shape[0]); ++n) {
    Image image{static_cast<int>(shape[3]), static_cast<int>(shape[2]), 3,
                std::vector<std::uint8_t>(plane * 3)};
    for (std::size_t channel = 0; channel < 3; ++channel) {
      const auto source = values.subspan((n * 3 + channel) * plane, plane);
      for (std::size_t i = 0; i < plane; ++i) image.pixels[i * 3 + channel] = to_byte(source[i]);
    }
    images.push_back(std::move(image));
  }
  return images;
}

Image contact_sheet(std::span<const Image> images, int columns, int gap) {
  if (images.empty() || columns < 1 || gap < 0) {
    throw Error(ErrorCode::kUsage,
                "a contact sheet needs at least one picture and one column, and no negative gap");
  }
  const int count = static_cast<int>(images.size());
  columns = std::min(columns, count);
  const int rows = (count + columns - 1) / columns;
  const int cell_width = std::ranges::max_element(images, {}, &Image::width)->width;
  const int cell_height = std::ranges::max_element(images, {}, &Image::height)->height;

  Image sheet{columns * (cell_width + gap) + gap, rows * (cell_height + gap) + gap, 3, {}};
  sheet.pixels.assign(
      static_cast<std::size_t>(sheet.width) * static_cast<std::size_t>(sheet.height) * 3, 255);
  for (int index = 0; index < count; ++index) {
    const int left = gap + index % columns * (cell_width + gap);
    const int top = gap + index / columns * (cell_height + gap);
    paste(images[static_cast<std::size_t>(index)], left, top, sheet);
  }
  return sheet;
}

}  // namespace sinter::pipeline
