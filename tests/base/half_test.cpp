#include "sinter/base/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace sinter {
namespace {

TEST(Half, EveryBitPatternSurvivesTheRoundTrip) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const std::uint16_t half = static_cast<std::uint16_t>(bits);
    const float value = half_to_float(half);
    if (std::isnan(value)) continue;
    ASSERT_EQ(float_to_half(value), half) << "bits " << bits;
  }
}

TEST(Half, RoundsToNearestEvenWithKnownValues) {
  // IEEE 754 binary16: 65504 is the largest finite, 2^-24 the smallest subnormal.
  EXPECT_EQ(float_to_half(65504.0f), 0x7bff);
  EXPECT_EQ(float_to_half(65519.99f), 0x7bff);
  EXPECT_EQ(float_to_half(65520.0f), 0x7c00);
  EXPECT_EQ(float_to_half(std::ldexp(1.0f, -24)), 0x0001);
  EXPECT_EQ(float_to_half(std::ldexp(1.0f, -25)), 0x0000);         // halfway, to even
  EXPECT_EQ(float_to_half(std::ldexp(3.0f, -25)), 0x0002);         // halfway between 1 and 2
  EXPECT_EQ(float_to_half(1.0f + std::ldexp(1.0f, -11)), 0x3c00);  // halfway, to even
  EXPECT_EQ(float_to_half(-0.0f), 0x8000);
  EXPECT_TRUE(std::isnan(half_to_float(float_to_half(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(Half, RunsAgreeWithSingleConversions) {
  std::vector<float> values;
  for (int i = 0; i < 1003; ++i)
    values.push_back(std::ldexp(1.0f + static_cast<float>(i) * 0.00137f, i % 45 - 28));
  std::vector<std::uint16_t> halves(values.size());
  std::vector<float> back(values.size());
  float_to_half(values, halves);
  half_to_float(halves, back);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(halves[i], float_to_half(values[i])) << values[i];
    ASSERT_EQ(back[i], half_to_float(halves[i]));
  }
}

TEST(BFloat16, RoundsToNearestEven) {
  EXPECT_EQ(float_to_bfloat16(1.0f), 0x3f80);
  EXPECT_EQ(float_to_bfloat16(std::bit_cast<float>(0x3f808000u)), 0x3f80);  // halfway, to even
  EXPECT_EQ(float_to_bfloat16(std::bit_cast<float>(0x3f818000u)), 0x3f82);  // halfway, to even
  EXPECT_EQ(bfloat16_to_float(0xc040), -3.0f);
  EXPECT_TRUE(
      std::isnan(bfloat16_to_float(float_to_bfloat16(std::numeric_limits<float>::quiet_NaN()))));
}

}  // namespace
}  // namespace sinter
