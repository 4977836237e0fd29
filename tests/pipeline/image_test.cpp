#include "sinter/pipeline/image.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "sinter/base/error.h"

namespace sinter::pipeline {
namespace {

Image plain(int width, int height, std::uint8_t value) {
  return {width, height, 3,
          std::vector<std::uint8_t>(static_cast<std::size_t>(width * height * 3), value)};
}

TEST(Image, DecoderValuesBecomeBytes) {
  Tensor samples(DType::kF32, {2, 3, 1, 2});
  const std::array values{-1.0f, 1.0f, 0.0f, 9.0f, -9.0f, std::nanf("")};
  std::ranges::copy(values, samples.floats().begin());
  const std::vector<Image> images = images_from_tensor(samples);
  ASSERT_EQ(images.size(), 2u);
  // 127.5 rounds to the even neighbour, as NumPy's round does in diffusers.
  EXPECT_EQ(images[0], (Image{2, 1, 3, {0, 128, 0, 255, 255, 0}}));
  EXPECT_EQ(images[1].pixels, std::vector<std::uint8_t>(6, 128));
  EXPECT_THROW(images_from_tensor(Tensor(DType::kF32, {1, 4, 2, 2})), Error);
}

TEST(ContactSheet, PutsPicturesInRowsOnWhite) {
  const std::array images{plain(2, 2, 10), plain(1, 2, 20), plain(2, 2, 30)};
  const Image sheet = contact_sheet(images, 2, 1);
  ASSERT_EQ(sheet.width, 7);
  ASSERT_EQ(sheet.height, 7);
  const auto at = [&](int x, int y) {
    return sheet.pixels[static_cast<std::size_t>(y * sheet.width + x) * 3];
  };
  EXPECT_EQ(at(0, 0), 255);
  EXPECT_EQ(at(1, 1), 10);
  EXPECT_EQ(at(4, 1), 20);
  EXPECT_EQ(at(5, 1), 255);  // the narrower picture leaves its cell white
  EXPECT_EQ(at(2, 5), 30);
  EXPECT_EQ(at(4, 4), 255);
  EXPECT_THROW(contact_sheet({}, 2), Error);
}

}  // namespace
}  // namespace sinter::pipeline
