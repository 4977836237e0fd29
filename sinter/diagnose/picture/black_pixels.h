#pragma once

#include "sinter/diagnose/picture/pixels.h"

namespace sinter::diagnose::picture {

/// What the exactly black pixels of a picture look like. Numbers that were NaN become zero when
/// they are made bytes, whatever stands beside them; what is drawn fades into black.
struct BlackPixels {
  double share = 0;      // of all pixels
  double specks = 0;     // of the black ones, how many lie in areas of a few pixels
  int spots = 0;         // the number of those areas
  int hard_spots = 0;    // of those, how many meet the brightness around them at once
  double tiles = 0;      // share of all pixels that lie in rectangles whose sides are such edges
  bool aligned = false;  // those rectangles begin and end on the grid of eight pixels
  int colours = 0;       // different colours of the picture, counted up to 16

  /// NaN, in points or in whole tiles.
  bool speckled() const;
  bool tiled() const;
};

BlackPixels measure_black(const Pixels& pixels);

}  // namespace sinter::diagnose::picture
