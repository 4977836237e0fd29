#pragma once

#include "sinter/diagnose/picture/pixels.h"

namespace sinter::diagnose::picture {

/// Straight steps on a regular grid: tiles that were decoded apart from each other.
struct Seams {
  int tile = 0;       // side of the tiles in pixels; 0: there is no such grid
  float step = 0;     // mean step over its lines, 0..1
  float between = 0;  // what nearly all lines (19 of 20) between them have
};

Seams measure_seams(const Pixels& pixels);

}  // namespace sinter::diagnose::picture
