#pragma once

#include "sinter/diagnose/picture/pixels.h"

namespace sinter::diagnose::picture {

/// The picture by squares of eight pixels, the size of a place of the latent.
///
/// Sampling that stopped early leaves differences of colour between nearly all neighbouring
/// squares; in a scene most neighbours are alike, and more alike than what is further away. Squares
/// of garbage differ from all their neighbours at their edges and are even inside.
struct LatentGrid {
  float quarter_step = 0;  // colour difference of neighbours that a quarter of them do not exceed
  float median_step = 0;   // half of them
  float pixel_step = 0;    // median colour difference of neighbouring pixels
  float pixel_far = 0;     // and of pixels that many places of the latent apart
  float far_step = 0;      // half of the squares four places apart: grain does not know how far
  double outliers = 0;     // share of squares that break with their neighbours
  int outlier_count = 0;
  double saturated = 0;  // share of those that are strongly coloured
  int hues = 0;          // different ones among them: lit windows have one, garbage more

  bool noisy() const;
  /// Noise of single pixels: no pixel knows of its neighbours, and squares of them are all alike.
  bool pixel_noise() const;
  bool blocky() const;
};

LatentGrid measure_grid(const Pixels& pixels);

}  // namespace sinter::diagnose::picture
