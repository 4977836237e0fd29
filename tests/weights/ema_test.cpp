#include "sinter/weights/ema.h"

#include <gtest/gtest.h>

#include "sinter/base/error.h"

namespace sinter::weights {
namespace {

TensorEntry entry(std::string name, std::uint64_t begin, Shape shape = {2}) {
  return {.name = std::move(name),
          .dtype = DType::kF32,
          .shape = std::move(shape),
          .file = 0,
          .begin = begin,
          .bytes = 8};
}

std::string refusal(std::vector<TensorEntry> tensors) {
  try {
    use_moving_averages(tensors);
  } catch (const Error& error) {
    return error.what();
  }
  return "it was accepted";
}

TEST(Ema, AveragesTakeTheWeightsPlaces) {
  std::vector<TensorEntry> tensors{
      entry("first_stage_model.a", 0), entry("model.diffusion_model.out.2.bias", 8),
      entry("model.diffusion_model.new", 16), entry("model_ema.decay", 24, {}),
      entry("model_ema.diffusion_modelout2bias", 32)};
  EXPECT_TRUE(has_moving_averages(tensors));
  use_moving_averages(tensors);
  ASSERT_EQ(tensors.size(), 3u);
  EXPECT_EQ(tensors[0].begin, 0u);
  EXPECT_EQ(tensors[1].name, "model.diffusion_model.out.2.bias");
  EXPECT_EQ(tensors[1].begin, 32u);
  EXPECT_EQ(tensors[2].begin, 16u);
  EXPECT_FALSE(has_moving_averages(tensors));
}

TEST(Ema, WeightsOfTheNetworkWithoutAnAverageAreReturned) {
  std::vector<TensorEntry> tensors{
      entry("first_stage_model.a", 0), entry("model.betas", 4), entry("model.diffusion_model.a", 8),
      entry("model.diffusion_model.b", 16), entry("model_ema.diffusion_modelb", 24)};
  EXPECT_EQ(use_moving_averages(tensors), (std::vector<std::string>{"model.diffusion_model.a"}));
}

TEST(Ema, WhatCannotBeTakenIsRefused) {
  EXPECT_EQ(refusal({entry("model.a", 0)}),
            "there are no moving averages of weights (model_ema.*)\nhint: leave --ema out");
  EXPECT_EQ(refusal({entry("model_ema.ab", 0)}),
            "1 moving average of weights (model_ema.*), and no weight that one of them "
            "belongs to\nhint: the names of averages have no dots and cannot be told without those "
            "of the weights; fetch the file with both");
  EXPECT_EQ(refusal({entry("model.a.b", 0), entry("model_ema.ab", 8, {3})}),
            "'model_ema.ab' is [3], expected [2] as 'model.a.b' is");
}

}  // namespace
}  // namespace sinter::weights
