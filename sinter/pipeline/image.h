#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinter/base/tensor.h"

namespace sinter::pipeline {

/// A picture of 8 bits a channel, sRGB, rows from the top, channels together.
struct Image {
  int width = 0;
  int height = 0;
  int channels = 3;                  // 3: RGB, 4: RGB and alpha
  std::vector<std::uint8_t> pixels;  // width * height * channels

  friend bool operator==(const Image&, const Image&) = default;
};

/// The pictures in a decoder's output: [N,3,H,W] float32 in -1..1 -> N images. Values beyond are
/// clamped, NaN is black.
/// @throws Error{kShapeMismatch} for another shape.
std::vector<Image> images_from_tensor(const Tensor& samples);

/// Pictures side by side, row after row, on white. Cells have the size of the largest picture,
/// `gap` pixels between and around. Alpha is left out.
/// @throws Error{kUsage} without pictures or columns.
Image contact_sheet(std::span<const Image> images, int columns, int gap = 4);

}  // namespace sinter::pipeline
