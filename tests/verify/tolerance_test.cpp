#include "sinter/verify/tolerance.h"

#include <gtest/gtest.h>

namespace sinter::verify {
namespace {

TEST(Tolerance, IsWhatTheDesignPromises) {
  EXPECT_EQ(tolerance_for(DType::kF32).max, 1e-4);
  EXPECT_EQ(tolerance_for(DType::kF16).max, 1e-2);
  EXPECT_EQ(tolerance_for(DType::kF16).mean, 1e-3);
  EXPECT_EQ(kTensorRtTolerance.max, 2e-2);
}

TEST(Tolerance, OfBFloat16IsEightTimesFloat16s) {
  EXPECT_DOUBLE_EQ(tolerance_for(DType::kBF16).max, 8 * tolerance_for(DType::kF16).max);
  EXPECT_DOUBLE_EQ(tolerance_for(DType::kBF16).mean, 8 * tolerance_for(DType::kF16).mean);
}

TEST(Tolerance, OfTheCoarserArithmeticDecides) {
  const Tolerance& fine = tolerance_for(DType::kF32);
  const Tolerance& coarse = tolerance_for(DType::kBF16);
  EXPECT_EQ(&coarser(fine, coarse), &coarse);
  EXPECT_EQ(&coarser(coarse, fine), &coarse);
}

}  // namespace
}  // namespace sinter::verify
