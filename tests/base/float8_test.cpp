#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/base/half.h"
#include "sinter/base/tensor.h"

namespace sinter {
namespace {

/// The float32 bits that PyTorch gives each of the 256 codes.
std::vector<float> widened_by_torch(DType dtype) {
  const nlohmann::json table =
      nlohmann::json::parse(read_text(std::string(SINTER_TEST_DATA) + "/base/float8.json"));
  std::vector<float> values;
  for (const auto& bits : table.at(std::string(dtype_name(dtype))))
    values.push_back(std::bit_cast<float>(
        static_cast<std::uint32_t>(std::stoul(bits.get<std::string>(), nullptr, 16))));
  return values;
}

Tensor all_codes(DType dtype) {
  Tensor tensor(dtype, {256});
  for (std::size_t code = 0; code < 256; ++code) tensor.bytes()[code] = std::byte(code);
  return tensor;
}

/// Equal to the bit, or both NaN.
void expect_same(float found, float expected, std::size_t code) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(found)) << code;
  } else {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(found), std::bit_cast<std::uint32_t>(expected)) << code;
  }
}

class Float8 : public testing::TestWithParam<DType> {};

TEST_P(Float8, EveryCodeWidensAsPyTorchWidensIt) {
  const std::vector<float> expected = widened_by_torch(GetParam());
  ASSERT_EQ(expected.size(), 256u);
  const Tensor single = to_dtype(all_codes(GetParam()), DType::kF32);
  for (std::size_t code = 0; code < 256; ++code)
    expect_same(single.floats()[code], expected[code], code);
}

TEST_P(Float8, IsExactInTheHalfTypes) {
  const std::vector<float> expected = widened_by_torch(GetParam());
  for (const DType half : {DType::kF16, DType::kBF16}) {
    const Tensor back = to_dtype(to_dtype(all_codes(GetParam()), half), DType::kF32);
    for (std::size_t code = 0; code < 256; ++code)
      expect_same(back.floats()[code], expected[code], code);
  }
}

TEST_P(Float8, IsNotWritten) {
  EXPECT_THROW(to_dtype(Tensor(DType::kF32, {1}), GetParam()), Error);
}

INSTANTIATE_TEST_SUITE_P(Types, Float8, testing::Values(DType::kF8E4M3, DType::kF8E5M2),
                         [](const auto& dtype) { return std::string(dtype_name(dtype.param)); });

TEST(Float8Values, EndsOfTheRangesAreThoseOfTheStandard) {
  EXPECT_EQ(float8_e4m3_to_float(0x7e), 448.0f);
  EXPECT_TRUE(std::isnan(float8_e4m3_to_float(0x7f)));
  EXPECT_EQ(float8_e4m3_to_float(0x01), 0x1p-9f);
  EXPECT_EQ(float8_e5m2_to_float(0x7b), 57344.0f);
  EXPECT_TRUE(std::isinf(float8_e5m2_to_float(0xfc)));
  EXPECT_EQ(float8_e5m2_to_float(0x01), 0x1p-16f);
}

}  // namespace
}  // namespace sinter
