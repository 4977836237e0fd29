#include "sinter/diagnose/picture/check_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinter/diagnose/picture/black_pixels.h"
#include "sinter/diagnose/picture/latent_grid.h"
#include "sinter/diagnose/picture/seams.h"
#include "sinter/diagnose/picture/tone.h"

namespace sinter::diagnose::picture {
namespace {

/// How a kind's numbers are said behind its meaning; {0}, {1}, ... are the measured ones.
struct Sentence {
  Kind kind;
  Text text;
};
constexpr std::array kSentences{
    Sentence{Kind::kAllBlack,
             {"the brightest value is {0:.3f} of 1", "最亮处只有 {0:.3f}（满值为 1）"}},
    Sentence{Kind::kNanSpeckle,
             {"{0:.2f} % of the pixels; {1:.0f} spots with hard edges, tiles of {2:.1f} %",
              "占全部像素的 {0:.2f} %；边缘生硬的黑点 {1:.0f} 个，黑色分块占 {2:.1f} %"}},
    Sentence{Kind::kLatentBlocks,
             {"{0:.1f} % of the squares break with all their neighbours; {1:.0f} % of these are "
              "strongly "
              "coloured",
              "{0:.1f} % 的方块与四周截然不同，其中 {1:.0f} % 颜色很浓"}},
    Sentence{
        Kind::kNoise,
        {"half of the neighbouring squares differ in colour by more than {1:.2f}, three quarters "
         "by more than {0:.2f}",
         "半数相邻方块的颜色差超过 {1:.2f}，四分之三超过 {0:.2f}"}},
    Sentence{
        Kind::kTileSeams,
        {"tiles of {0:.0f} pixels; the steps at their edges are {1:.3f}, elsewhere at most {2:.3f}",
         "分块边长 {0:.0f} 像素；边界处的亮度跳变为 {1:.3f}，其他位置不超过 {2:.3f}"}},
    Sentence{
        Kind::kColourCast,
        {"red reaches {0:.2f}, green {1:.2f}, blue {2:.2f}; {3:.0f} % of the brighter half has "
         "this cast",
         "红色最高 {0:.2f}，绿色 {1:.2f}，蓝色 {2:.2f}；较亮的一半里有 {3:.0f} % 带这种偏色"}},
    Sentence{Kind::kGreyLowContrast,
             {"brightness from {0:.2f} to {1:.2f}", "亮度只在 {0:.2f} 到 {1:.2f} 之间"}},
    Sentence{Kind::kFine, {"brightness from {0:.2f} to {1:.2f}", "亮度在 {0:.2f} 到 {1:.2f} 之间"}},
};

constexpr std::string_view kPixelStep = "pixel_step_median";
constexpr Text kPixelNoise{
    "neighbouring pixels differ in colour by {0:.2f}, as much as those far apart ({1:.2f})",
    "相邻像素的颜色差为 {0:.2f}，与相距很远的像素（{1:.2f}）相当"};

std::vector<Measured> tones(const Tone& tone) {
  return {{"brightness_low", tone.dark}, {"brightness_high", tone.light}};
}

}  // namespace

const KindFacts& Report::facts() const {
  return *std::ranges::find(kinds(), kind, &KindFacts::kind);
}

std::string Report::why(Language language) const {
  std::vector<double> numbers;
  for (const auto& [name, value] : measured) numbers.push_back(value);
  numbers.resize(4);
  const auto& sentence = *std::ranges::find(kSentences, kind, &Sentence::kind);
  const bool pixels = !measured.empty() && measured.front().first == kPixelStep;
  const std::string_view text = (pixels ? kPixelNoise : sentence.text).in(language);
  const std::string detail =
      fmt::format(fmt::runtime(text), numbers[0], numbers[1], numbers[2], numbers[3]);
  const std::string_view meaning = facts().meaning.in(language);
  return language == Language::kChinese ? fmt::format("{}：{}", meaning, detail)
                                        : fmt::format("{}: {}", meaning, detail);
}

Report check_picture(const Image& image) {
  const Pixels pixels(image);
  const Tone tone = measure_tone(pixels);
  if (tone.black())
    return {Kind::kAllBlack, {{"brightest", std::max({tone.high[0], tone.high[1], tone.high[2]})}}};
  const LatentGrid grid = measure_grid(pixels);
  if (grid.blocky())
    return {
        Kind::kLatentBlocks,
        {{"outlier_percent", 100 * grid.outliers}, {"saturated_percent", 100 * grid.saturated}}};
  const BlackPixels black = measure_black(pixels);
  if (black.speckled() || black.tiled())
    return {Kind::kNanSpeckle,
            {{"black_percent", 100 * black.share},
             {"hard_spots", black.hard_spots},
             {"tile_percent", 100 * black.tiles}}};
  if (grid.noisy())
    return {Kind::kNoise,
            {{"colour_step_quarter", grid.quarter_step},
             {"colour_step_median", grid.median_step},
             {"colour_step_far", grid.far_step}}};
  if (grid.pixel_noise())
    return {Kind::kNoise, {{kPixelStep, grid.pixel_step}, {"pixel_step_far", grid.pixel_far}}};
  if (const Seams seams = measure_seams(pixels); seams.tile > 0)
    return {Kind::kTileSeams,
            {{"tile_pixels", seams.tile}, {"step", seams.step}, {"step_elsewhere", seams.between}}};
  if (tone.cast())
    return {Kind::kColourCast,
            {{"red_high", tone.high[0]},
             {"green_high", tone.high[1]},
             {"blue_high", tone.high[2]},
             {"cast_percent", 100 * tone.coloured}}};
  if (tone.flat()) return {Kind::kGreyLowContrast, tones(tone)};
  return {Kind::kFine, tones(tone)};
}

}  // namespace sinter::diagnose::picture
