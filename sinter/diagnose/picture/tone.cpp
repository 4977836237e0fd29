#include "sinter/diagnose/picture/tone.h"

#include <algorithm>
#include <cmath>

namespace sinter::diagnose::picture {
namespace {

constexpr float kDark = 0.16F;  // the strongest channel of a pixel that shows no colour

/// Level below which that share of all pixels lies.
float level(const std::array<std::size_t, 256>& histogram, std::size_t count, double share) {
  const double wanted = share * static_cast<double>(count);
  double seen = 0;
  for (std::size_t value = 0; value < histogram.size(); ++value) {
    seen += static_cast<double>(histogram[value]);
    if (seen > wanted) return static_cast<float>(value) / 255;
  }
  return 1;
}

std::size_t bin(float value) {
  return static_cast<std::size_t>(std::lround(std::clamp(value, 0.0F, 1.0F) * 255));
}

bool is_weak(const Tone& tone, std::size_t channel) {
  float widest = 0;
  float highest = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    widest = std::max(widest, tone.high[c] - tone.low[c]);
    highest = std::max(highest, tone.high[c]);
  }
  // What is scaled keeps its contrast; the inks of a duotone do not.
  float darkest = 1;
  for (std::size_t c = 0; c < 3; ++c)
    if (tone.high[c] == highest) darkest = tone.low[c] / std::max(highest, 0.01F);
  const bool scaled = tone.low[channel] <= (darkest + 0.25F) * tone.high[channel] + 0.02F;
  return tone.high[channel] - tone.low[channel] < 0.52F * widest &&
         tone.high[channel] < 0.62F * highest && scaled;
}

/// Share of the brighter half in which every weak channel stays far below the strongest.
double coloured_share(const Pixels& pixels, const Tone& tone, const std::array<bool, 3>& weak,
                      float half) {
  std::size_t judged = 0;
  std::size_t coloured = 0;
  for (int y = 0; y < pixels.height(); ++y) {
    for (int x = 0; x < pixels.width(); ++x) {
      const Colour colour = pixels.at(x, y);
      const float most = std::max({colour[0], colour[1], colour[2]});
      if (most < std::max(half, kDark)) continue;
      ++judged;
      bool below = true;
      for (std::size_t c = 0; c < 3; ++c) {
        const bool far_below = colour[c] < 0.68F * most || colour[c] - tone.low[c] < 0.5F * most;
        below = below && (!weak[c] || far_below);
      }
      if (below) ++coloured;
    }
  }
  return judged == 0 ? 0 : static_cast<double>(coloured) / static_cast<double>(judged);
}

}  // namespace

bool Tone::black() const { return std::max({high[0], high[1], high[2]}) <= 4.0F / 255; }

bool Tone::cast() const {
  // Warm light and leaves leave little blue; that alone is a cast only where there is hardly any.
  const std::size_t blue = 2;
  if (weak == 1 && weakest == 2 &&
      high[blue] - low[blue] > 0.35F * std::max(high[0] - low[0], high[1] - low[1]))
    return false;
  if (weak == 0 || weak == 3) return false;
  // Nowhere, not in any highlight, do the weak channels come near the others.
  const float strongest = std::max({high[0], high[1], high[2]});
  if (strongest >= 0.6F && weak_high <= 0.36F * strongest && weakest != 2) return true;
  return bright >= 0.3 && coloured >= 0.9;
}

bool Tone::flat() const {
  const float middle = (dark + light) / 2;
  return light - dark <= 0.27F && std::abs(middle - 0.5F) <= 0.125F;
}

Tone measure_tone(const Pixels& pixels) {
  Tone tone;
  std::array<std::array<std::size_t, 256>, 3> channels{};
  std::array<std::size_t, 256> luma{};
  std::array<std::size_t, 256> strongest{};
  for (int y = 0; y < pixels.height(); ++y) {
    for (int x = 0; x < pixels.width(); ++x) {
      for (std::size_t c = 0; c < 3; ++c)
        ++channels[c][static_cast<std::size_t>(pixels.byte(x, y, static_cast<int>(c)))];
      ++luma[bin(pixels.luma(x, y))];
      ++strongest[static_cast<std::size_t>(pixels.strongest(x, y))];
    }
  }
  const std::size_t count = pixels.count();
  std::array<bool, 3> weak{};
  for (std::size_t c = 0; c < 3; ++c) {
    double sum = 0;
    for (std::size_t value = 0; value < 256; ++value)
      sum += static_cast<double>(value) * static_cast<double>(channels[c][value]);
    tone.mean[c] = static_cast<float>(sum / 255 / static_cast<double>(count));
    tone.low[c] = level(channels[c], count, 0.001);
    tone.high[c] = level(channels[c], count, 0.999);
  }
  for (std::size_t c = 0; c < 3; ++c) {
    weak[c] = is_weak(tone, c);
    if (weak[c]) {
      ++tone.weak;
      tone.weak_high = std::max(tone.weak_high, tone.high[c]);
    }
    if (tone.high[c] < tone.high[static_cast<std::size_t>(tone.weakest)])
      tone.weakest = static_cast<int>(c);
  }
  tone.dark = level(luma, count, 0.005);
  tone.light = level(luma, count, 0.995);
  std::size_t bright = 0;
  for (std::size_t value = bin(kDark); value < 256; ++value) bright += strongest[value];
  tone.bright = static_cast<double>(bright) / static_cast<double>(count);
  if (tone.weak > 0 && tone.weak < 3)
    tone.coloured = coloured_share(pixels, tone, weak, level(strongest, count, 0.5));
  return tone;
}

}  // namespace sinter::diagnose::picture
