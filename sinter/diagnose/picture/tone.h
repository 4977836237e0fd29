#pragma once

#include "sinter/diagnose/picture/pixels.h"

namespace sinter::diagnose::picture {

/// Brightness and colour of a picture as a whole.
struct Tone {
  Colour mean{};
  Colour low{};         // of each channel, what one pixel in a thousand falls below
  Colour high{};        // and what one in a thousand exceeds
  float dark = 0;       // brightness that one pixel in 200 falls below
  float light = 0;      // and that one in 200 exceeds
  double coloured = 0;  // share of the brighter half in which the weak channels are far below
  double bright = 0;    // share of pixels that are not dark
  int weak = 0;         // number of channels scaled away
  float weak_high = 0;  // what the stronger of them reaches
  int weakest = 0;      // 0 red, 1 green, 2 blue

  bool black() const;
  /// Weak channels reach nowhere what the others reach, on the bright places neither.
  bool cast() const;
  bool flat() const;
};

Tone measure_tone(const Pixels& pixels);

}  // namespace sinter::diagnose::picture
