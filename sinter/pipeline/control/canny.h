#pragma once

#include "sinter/base/image.h"

namespace sinter::pipeline {

/// How much the brightness has to change for an edge: sums of the absolute Sobel derivatives along
/// both axes, of values from 0 to 255. An edge begins above `high` and goes on above `low`.
struct CannyThresholds {
  int low = 100;
  int high = 200;
};

/// The edges of a picture, white on black, one pixel wide; RGB, the same size. Of the colours, the
/// one that changes most decides at each pixel. Alpha is left out.
///
/// The conventions are those of OpenCV's Canny (Sobel of 3x3, no blur before it, the sum of
/// absolute derivatives as magnitude), by which the published ControlNets for edges were trained.
/// Source: Canny 1986, "A computational approach to edge detection".
/// @throws Error{kUsage} for an empty picture and thresholds that are negative or out of order.
Image canny_edges(const Image& image, const CannyThresholds& thresholds = {});

}  // namespace sinter::pipeline
