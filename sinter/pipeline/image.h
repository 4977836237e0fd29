#pragma once

#include <span>
#include <vector>

#include "sinter/base/image.h"
#include "sinter/base/tensor.h"

namespace sinter::pipeline {

/// The pictures in a decoder's output: [N,3,H,W] float32 in -1..1 -> N images. Values beyond are
/// clamped, NaN is black.
/// @throws Error{kShapeMismatch} for another shape.
std::vector<Image> images_from_tensor(const Tensor& samples);

/// Pictures side by side, row after row, on white. Cells have the size of the largest picture,
/// `gap` pixels between and around. Alpha is left out.
/// @throws Error{kUsage} without pictures or columns.
Image contact_sheet(std::span<const Image> images, int columns, int gap = 4);

}  // namespace sinter::pipeline
