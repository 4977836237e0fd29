#include "sinter/verify/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/verify/case_builder.h"

namespace sinter::verify {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(Comparison, MeasuresErrorsAgainstTheReferencesScale) {
  // Errors 0.5, 0, 0, 0.25 against a largest reference of 4.
  const Comparison c =
      compare(floats({2, 2}, {1, -4, 2, 0}), floats({2, 2}, {1.5f, -4, 2, -0.25f}));
  EXPECT_EQ(c.elements, 4);
  EXPECT_EQ(c.scale, 4);
  EXPECT_EQ(c.max_abs, 0.5);
  EXPECT_EQ(c.mean_abs, 0.1875);
  EXPECT_EQ(c.max_relative, 0.125);
  EXPECT_EQ(c.mean_relative, 0.046875);
  EXPECT_EQ(c.worst_index, (Shape{0, 0}));
  EXPECT_EQ(c.worst_reference, 1);
  EXPECT_EQ(c.worst_found, 1.5);
  // dot 1.5 + 16 + 4; norms sqrt(21) and sqrt(22.3125).
  EXPECT_NEAR(c.cosine, 21.5 / std::sqrt(21.0 * 22.3125), 1e-15);
}

TEST(Comparison, NamesTheFirstOfEquallyBadElements) {
  const Comparison c =
      compare(floats({2, 3}, {0, 0, 0, 0, 0, 1}), floats({2, 3}, {0, 0, 0, 0, 2, 3}));
  EXPECT_EQ(c.worst_index, (Shape{1, 1}));
}

TEST(Comparison, CountsNotFiniteValuesOnBothSides) {
  const Comparison c =
      compare(floats({5}, {kInf, kNan, 1, -kInf, 2}), floats({5}, {kInf, kNan, kNan, 1, 2}));
  EXPECT_EQ(c.reference_nan, 1);
  EXPECT_EQ(c.reference_inf, 2);
  EXPECT_EQ(c.found_nan, 2);
  EXPECT_EQ(c.found_inf, 1);
  EXPECT_EQ(c.non_finite_mismatches, 3);  // equal infinities agree
  EXPECT_EQ(c.first_non_finite_mismatch, (Shape{1}));
  EXPECT_TRUE(std::isnan(c.non_finite_reference));
  EXPECT_TRUE(std::isnan(c.non_finite_found));
  EXPECT_EQ(c.finite_pairs, 1);
  EXPECT_EQ(c.max_abs, 0);
  EXPECT_FALSE(within(c, tolerance_for(DType::kBF16)));
}

TEST(Comparison, GivesOnlyShapesWhereTheyDiffer) {
  const Comparison c = compare(filled({2, 3}, 1), filled({3, 2}, 1));
  EXPECT_FALSE(c.same_shape());
  EXPECT_FALSE(within(c, tolerance_for(DType::kF32)));
}

TEST(Comparison, HoldsTheMeanToItsOwnLimit) {
  // Every element off by half the largest allowed error of float16: the mean is five times too
  // much.
  const Comparison c = compare(filled({100}, 1.0f), filled({100}, 1.005f));
  EXPECT_LT(c.max_relative, tolerance_for(DType::kF16).max);
  EXPECT_FALSE(within(c, tolerance_for(DType::kF16)));
  EXPECT_TRUE(within(c, tolerance_for(DType::kBF16)));
}

TEST(Comparison, OfZerosIsExactOrInfinitelyWrong) {
  EXPECT_TRUE(within(compare(filled({3}, 0), filled({3}, 0)), tolerance_for(DType::kF32)));
  const Comparison c = compare(filled({3}, 0), filled({3}, 1e-9f));
  EXPECT_TRUE(std::isinf(c.max_relative));
  EXPECT_FALSE(within(c, tolerance_for(DType::kBF16)));
}

TEST(Comparison, TakesDifferentElementTypes) {
  const Tensor reference = floats({2}, {0.5f, -2});
  EXPECT_EQ(compare(reference, to_dtype(reference, DType::kF16)).max_abs, 0);
}

TEST(Comparison, OfEmptyTensorsPasses) {
  EXPECT_TRUE(within(compare(Tensor(DType::kF32, {0, 4}), Tensor(DType::kF32, {0, 4})),
                     tolerance_for(DType::kF32)));
}

TEST(NonFinite, AreCountedBySign) {
  const NonFinite count = count_non_finite(floats({5}, {kNan, kInf, kInf, -kInf, 0}));
  EXPECT_EQ(count.nan, 1);
  EXPECT_EQ(count.positive_inf, 2);
  EXPECT_EQ(count.negative_inf, 1);
  EXPECT_EQ(count.count(), 4);
  EXPECT_EQ(count.first, (Shape{0}));
  EXPECT_TRUE(std::isnan(count.first_value));
  EXPECT_EQ(count_non_finite(Tensor(DType::kI64, {3})).nan, 0);
}

}  // namespace
}  // namespace sinter::verify
