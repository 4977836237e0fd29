#include "sinter/verify/generated_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sinter::verify {
namespace {

using graph::ValueDeclaration;

ValueDeclaration declared(std::string name, DType dtype, std::vector<std::int64_t> shape,
                          std::vector<std::string> symbols) {
  return {.name = std::move(name),
          .dtype = dtype,
          .shape = std::move(shape),
          .symbols = std::move(symbols)};
}

TEST(GeneratedInputs, TakeSmallExtentsForTheirSymbols) {
  const runtime::TensorMap inputs = generated_inputs({
      declared("sample", DType::kF32, {-1, 4, -1, -1}, {"batch", "", "height", "width"}),
      declared("timestep", DType::kF32, {-1}, {"timesteps"}),
      declared("encoder_hidden_states", DType::kF16, {-1, -1, 8},
               {"batch_size", "sequence_length", ""}),
      declared("residual", DType::kF32, {-1, 2, -1, -1}, {"batch", "", "height/2", "width/2"}),
  });
  EXPECT_EQ(inputs.at("sample").shape(), (Shape{2, 4, 16, 16}));
  EXPECT_EQ(inputs.at("timestep").shape(), (Shape{1}));
  EXPECT_EQ(inputs.at("encoder_hidden_states").shape(), (Shape{2, 77, 8}));
  EXPECT_EQ(inputs.at("encoder_hidden_states").dtype(), DType::kF16);
  EXPECT_EQ(inputs.at("residual").shape(), (Shape{2, 2, 8, 8}));
}

TEST(GeneratedInputs, AreNormalAndTheSameAtEveryCall) {
  const std::vector<ValueDeclaration> graph{declared("sample", DType::kF32, {100000}, {""}),
                                            declared("other", DType::kF32, {100000}, {""})};
  const runtime::TensorMap inputs = generated_inputs(graph);
  const Tensor& sample = inputs.at("sample");
  double sum = 0;
  double squares = 0;
  for (const float value : sample.floats()) {
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  // Five deviations of the mean and of the variance of 100000 normal values.
  EXPECT_NEAR(sum / 1e5, 0, 0.016);
  EXPECT_NEAR(squares / 1e5, 1, 0.023);
  EXPECT_TRUE(std::ranges::equal(sample.floats(), generated_inputs(graph).at("sample").floats()));
  EXPECT_FALSE(std::ranges::equal(sample.floats(), inputs.at("other").floats()));
}

TEST(GeneratedInputs, GiveIdsAndTimestepsTheirRanges) {
  const runtime::TensorMap inputs =
      generated_inputs({declared("input_ids", DType::kI64, {2, 77}, {"", ""}),
                        declared("timestep", DType::kI64, {64}, {""})});
  const auto [low, high] = std::ranges::minmax(inputs.at("input_ids").ints());
  EXPECT_GE(low, 0);
  EXPECT_LT(high, 1000);
  EXPECT_GT(high, 500);
  EXPECT_LT(std::ranges::max(inputs.at("timestep").ints()), 999);
}

}  // namespace
}  // namespace sinter::verify
