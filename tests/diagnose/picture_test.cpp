#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>

#include "sinter/diagnose/picture/check_picture.h"

namespace sinter::diagnose::picture {
namespace {

using Painter = std::function<std::array<double, 3>(double x, double y)>;

Image paint(int width, int height, const Painter& colour, int channels = 3) {
  Image image{width, height, channels, {}};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (const double value : colour(x, y))
        image.pixels.push_back(
            static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.0, 1.0))));
      if (channels == 4) image.pixels.push_back(x < width / 2 ? 0 : 255);
    }
  }
  return image;
}

/// A ball on a table before a wall.
std::array<double, 3> still_life(double x, double y) {
  const double light = std::clamp(4.0 - std::hypot(x - 50, y - 60) / 8, 0.0, 1.0);
  if (std::hypot(x - 64, y - 70) < 30) return {0.3 + 0.6 * light, 0.25 + 0.2 * light, 0.2};
  if (y > 84) return {0.45, 0.3 + 0.001 * x, 0.18};
  return {0.7 - 0.002 * y, 0.72, 0.75 - 0.001 * x};
}

std::string_view kind_of(const Image& image) { return check_picture(image).facts().name; }

TEST(Picture, AnOrdinarySceneIsFine) { EXPECT_EQ(kind_of(paint(128, 128, still_life)), "fine"); }

TEST(Picture, TransparentPartsAreNotBlack) {
  EXPECT_EQ(kind_of(paint(128, 128, still_life, 4)), "fine");
}

TEST(Picture, RoundingIsStillBlack) {
  EXPECT_EQ(kind_of(paint(64, 64,
                          [](double x, double) {
                            return std::array{std::fmod(x, 3) / 255, 0.0, 0.0};
                          })),
            "all-black");
}

TEST(Picture, NoiseOfSinglePixelsIsNoise) {
  std::uint32_t state = 1;
  const auto random = [&] {
    state = state * 1664525 + 1013904223;
    return static_cast<double>(state >> 8) / (1 << 24);
  };
  const auto noise = [&](double, double) { return std::array{random(), random(), random()}; };
  const Report report = check_picture(paint(128, 128, noise));
  EXPECT_EQ(report.facts().name, "noise");
  EXPECT_NE(report.why(Language::kEnglish).find("neighbouring pixels differ"), std::string::npos);
  // Fine grain over a scene is a film's.
  const auto grain = [&](double x, double y) {
    std::array<double, 3> colour = still_life(x, y);
    for (double& value : colour) value += 0.08 * (random() - 0.5);
    return colour;
  };
  EXPECT_EQ(kind_of(paint(128, 128, grain)), "fine");
}

/// Waves that are elsewhere after 64 pixels.
std::array<double, 3> waves(double x, double y) {
  std::array<double, 3> colour{};
  for (int c = 0; c < 3; ++c)
    colour[static_cast<std::size_t>(c)] = 0.4 + x / 640 + 0.1 * std::sin(x / 13.5 + y / 5 + c) +
                                          0.08 * std::sin(y / 7 - x / 14 + 2 * c);
  return colour;
}

TEST(Picture, SeamsAreStepsInASceneThatGoesOn) {
  const auto tiles = [](double x, double y) {
    const double step = std::fmod(std::floor(x / 64) * 7 + std::floor(y / 64) * 3, 5) - 2;
    std::array<double, 3> colour = waves(x / 4, y);
    for (double& value : colour) value += 0.03 * step;
    return colour;
  };
  EXPECT_EQ(kind_of(paint(256, 256, tiles)), "tile-seams");
  // A pattern, or pictures side by side, begin anew.
  const auto pattern = [](double x, double y) { return waves(std::fmod(x, 64), std::fmod(y, 64)); };
  EXPECT_EQ(kind_of(paint(256, 256, pattern)), "fine");
}

TEST(Picture, BarsOfAFilmAreNoFault) {
  EXPECT_EQ(
      kind_of(paint(128, 128,
                    [](double x, double y) {
                      return y < 16 || y >= 112 ? std::array{0.0, 0.0, 0.0} : still_life(x, y);
                    })),
      "fine");
}

TEST(Picture, ABlackTileIsNan) {
  EXPECT_EQ(kind_of(paint(128, 128,
                          [](double x, double y) {
                            return x >= 64 && y < 64 ? std::array{0.0, 0.0, 0.0} : still_life(x, y);
                          })),
            "nan-speckle");
}

TEST(Picture, AChessboardHasNoSeams) {
  EXPECT_EQ(kind_of(paint(192, 192,
                          [](double x, double y) {
                            const double v = (int(x) / 24 + int(y) / 24) % 2 == 0 ? 0.1 : 0.9;
                            return std::array{v, v, v};
                          })),
            "fine");
}

/// Tiles whose brightness differs by chance, from `left` and `top` on.
double tile_shift(double x, double y, int tile, int left, int top) {
  const int column = (int(x) - left + tile) / tile;
  const int row = (int(y) - top + tile) / tile;
  return 0.06 * ((column * 7 + row * 13 + column * row * 5) % 5 - 2) / 2;
}

TEST(Picture, SeamsMayLieAnywhere) {
  for (const auto& [left, top] : {std::pair(0, 0), {16, 8}, {40, 24}}) {
    const Image image = paint(256, 256, [&](double x, double y) {
      std::array<double, 3> colour = still_life(x / 2, y / 2);
      for (double& value : colour) value += tile_shift(x, y, 48, left, top);
      return colour;
    });
    EXPECT_EQ(kind_of(image), "tile-seams") << left << " " << top;
  }
}

TEST(Picture, SoftenedSeamsAreSeams) {
  const Image image = paint(256, 256, [&](double x, double y) {
    std::array<double, 3> colour = still_life(x / 2, y / 2);
    double shift = 0;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) shift += tile_shift(x + dx, y + dy, 48, 0, 0) / 9;
    for (double& value : colour) value += shift;
    return colour;
  });
  EXPECT_EQ(kind_of(image), "tile-seams");
}

TEST(Picture, PatternsOfTheSceneHaveNoSeams) {
  // A soft chessboard floor, squared paper, a square on white: all on the grid.
  EXPECT_EQ(kind_of(paint(256, 256,
                          [](double x, double y) {
                            const double v = (int(x) / 64 + int(y) / 64) % 2 == 0 ? 0.6 : 0.72;
                            return std::array{v, v - 0.04, v - 0.1};
                          })),
            "fine");
  EXPECT_EQ(kind_of(paint(256, 256,
                          [](double x, double y) {
                            const bool line = int(x) % 32 == 0 || int(y) % 32 == 0;
                            return line ? std::array{0.6, 0.8, 0.95} : std::array{1.0, 1.0, 1.0};
                          })),
            "fine");
  EXPECT_EQ(kind_of(paint(256, 256,
                          [](double x, double y) {
                            const bool in = x >= 64 && x < 192 && y >= 64 && y < 192;
                            return in ? std::array{0.8, 0.3, 0.15} : std::array{1.0, 1.0, 1.0};
                          })),
            "fine");
}

TEST(Picture, LitWindowsAreNoGarbage) {
  EXPECT_EQ(kind_of(paint(256, 256,
                          [](double x, double y) {
                            const bool lit = int(x) / 8 % 2 == 1 && int(y) / 8 % 3 == 1 &&
                                             (int(x) / 8 * 7 + int(y) / 8 * 5) % 4 == 0 && y > 100;
                            return lit ? std::array{0.9, 0.75, 0.35} : std::array{0.03, 0.03, 0.05};
                          })),
            "fine");
}

TEST(Picture, ADuotoneIsNoCast) {
  EXPECT_EQ(kind_of(paint(128, 128,
                          [](double x, double y) {
                            const double v = still_life(x, y)[1] * 1.2;
                            return std::array{0.18 + 0.77 * v, 0.08 + 0.67 * v, 0.35 - 0.1 * v};
                          })),
            "fine");
}

TEST(Picture, BarsBesideADarkSceneAreNoFault) {
  EXPECT_EQ(kind_of(paint(160, 160,
                          [](double x, double y) {
                            std::array<double, 3> colour = still_life(x, y);
                            // The scene grows dark towards the lower bar.
                            const double light =
                                x < 90 ? std::clamp((120 - y) / 60, 0.0, 1.0) : 1.0;
                            for (double& value : colour) value *= light;
                            if (y < 24 || y >= 136) colour = {0, 0, 0};
                            return colour;
                          })),
            "fine");
}

TEST(Picture, LightHazeIsNotASqueezedScene) {
  const auto squeezed = [](double middle) {
    return paint(128, 128, [middle](double x, double y) {
      std::array<double, 3> colour = still_life(x, y);
      for (double& value : colour) value = middle + 0.15 * (value - 0.5);
      return colour;
    });
  };
  EXPECT_EQ(kind_of(squeezed(0.5)), "grey-low-contrast");
  EXPECT_EQ(kind_of(squeezed(0.75)), "fine");
}

TEST(Picture, SizesBelowOneSquareAreJudgedByTheirTone) {
  EXPECT_EQ(kind_of(paint(1, 1, [](double, double) { return std::array{1.0, 1.0, 1.0}; })), "fine");
  EXPECT_EQ(kind_of(paint(7, 3,
                          [](double, double) {
                            return std::array{0.0, 0.0, 0.0};
                          })),
            "all-black");
}

TEST(Picture, EveryKindSaysWhyAndWhatCuresItInBothLanguages) {
  for (const KindFacts& facts : kinds()) {
    const Report report{facts.kind, {{"a", 0.25}, {"b", 0.5}}};
    EXPECT_NE(report.why(Language::kEnglish), report.why(Language::kChinese));
    EXPECT_EQ(facts.settings.empty(), report.fine()) << facts.name;
    EXPECT_EQ(facts.cause.english.empty(), report.fine()) << facts.name;
  }
}

}  // namespace
}  // namespace sinter::diagnose::picture
