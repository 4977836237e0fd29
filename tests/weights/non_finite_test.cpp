#include "sinter/weights/non_finite.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

namespace sinter::weights {
namespace {

template <typename T>
bool found(std::vector<T> values, DType dtype) {
  return has_non_finite(std::as_bytes(std::span(values)), dtype);
}

TEST(NonFinite, FindsNanAndInfinityAnywhere) {
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{511}, std::size_t{512}, std::size_t{999}}) {
    std::vector<float> values(1000, 1.0f);
    EXPECT_FALSE(found(values, DType::kF32));
    values[at] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(found(values, DType::kF32)) << at;
    values[at] = -std::numeric_limits<float>::infinity();
    EXPECT_TRUE(found(values, DType::kF32)) << at;
    values[at] = std::numeric_limits<float>::max();
    EXPECT_FALSE(found(values, DType::kF32)) << at;
  }
}

TEST(NonFinite, KnowsEveryFloatingType) {
  EXPECT_TRUE(found<double>({std::numeric_limits<double>::infinity()}, DType::kF64));
  EXPECT_FALSE(found<double>({std::numeric_limits<double>::max()}, DType::kF64));
  EXPECT_TRUE(found<std::uint16_t>({0xfc00}, DType::kF16));
  EXPECT_FALSE(found<std::uint16_t>({0x7bff}, DType::kF16));
  EXPECT_TRUE(found<std::uint16_t>({0x7fc0}, DType::kBF16));
  EXPECT_FALSE(found<std::uint16_t>({0x7f7f, 0x7c00}, DType::kBF16));
  // float8_e4m3fn: only S.1111.111 is not a number; 0x7e is 448.
  EXPECT_TRUE(found<std::uint8_t>({0xff}, DType::kF8E4M3));
  EXPECT_FALSE(found<std::uint8_t>({0x7e, 0x78}, DType::kF8E4M3));
  EXPECT_TRUE(found<std::uint8_t>({0x7c}, DType::kF8E5M2));
  EXPECT_FALSE(found<std::uint8_t>({0x7b}, DType::kF8E5M2));
}

TEST(NonFinite, IntegersAreAlwaysFinite) {
  EXPECT_FALSE(found<std::int64_t>({-1}, DType::kI64));
  EXPECT_FALSE(found<std::uint8_t>({0xff}, DType::kBool));
}

TEST(NonFinite, TakesUnalignedBytes) {
  std::vector<std::byte> bytes(13);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(&bytes[9], &nan, sizeof nan);
  EXPECT_TRUE(has_non_finite(std::span(bytes).subspan(1), DType::kF32));
  EXPECT_FALSE(has_non_finite(std::span(bytes).subspan(1, 11), DType::kF32));
}

}  // namespace
}  // namespace sinter::weights
