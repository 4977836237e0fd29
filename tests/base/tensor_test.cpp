#include "sinter/base/tensor.h"

#include <gtest/gtest.h>

#include <array>

#include "sinter/base/error.h"

namespace sinter {
namespace {

TEST(Tensor, ConvertsThroughEveryFloatTypeAndBack) {
  const Tensor source({2, 2}, std::array{0.5f, -2.0f, 65504.0f, 0.0f});
  for (const DType dtype : {DType::kF64, DType::kF16, DType::kF32}) {
    const Tensor back = to_dtype(to_dtype(source, dtype), DType::kF32);
    EXPECT_TRUE(std::ranges::equal(back.floats(), source.floats())) << dtype_name(dtype);
  }
  EXPECT_EQ(to_dtype(source, DType::kI64).ints()[1], -2);
}

TEST(Tensor, RefusesValuesThatDoNotFillTheShape) {
  EXPECT_THROW(Tensor({3}, std::array{1.0f}), Error);
  EXPECT_THROW(Tensor({2}, std::array{1.0f, 2.0f}).reshaped({3}), Error);
}

TEST(Tensor, RefusesAViewOfAnotherType) { EXPECT_THROW(Tensor(DType::kI64, {1}).floats(), Error); }

TEST(Shape, RefusesProductsThatOverflow) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({3, 0, 5}), 0);
  EXPECT_THROW(element_count({std::int64_t{1} << 40, std::int64_t{1} << 40}), Error);
  EXPECT_THROW(element_count({-1}), Error);
}

TEST(TensorBytes, AreRefusedBeyondMemory) {
  EXPECT_EQ(byte_count(DType::kF32, {2, 3}), 24u);
  EXPECT_EQ(byte_count(DType::kF64, {0, std::int64_t{1} << 62}), 0u);
  // Eight bytes each: the product wraps to 4096.
  const Shape wrapping{(std::int64_t{1} << 61) + 512};
  try {
    byte_count(DType::kF64, wrapping);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(),
              "the shape [2305843009213694464] of float64 is beyond what memory can hold");
  }
  EXPECT_THROW(Tensor(DType::kF64, wrapping), Error);
}

}  // namespace
}  // namespace sinter
