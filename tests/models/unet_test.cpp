#include "sinter/models/unet.h"

#include <gtest/gtest-spi.h>

#include "tests/models/block.h"
#include "tests/models/transformer_config.h"

namespace sinter::models {
namespace {

class UNet : public OnEngines {};

// Timestep embedding, transformer with self-attention, cross-attention and GEGLU, a resnet over a
// skip.
TEST_P(UNet, ATransformerWithConvolutionsIsDiffusers) {
  for (const DType compute : {DType::kF32, DType::kF16})
    Block("transformer").expect_reference(GetParam(), compute, emit_transformer(false, compute));
}

TEST_P(UNet, ATransformerWithMatricesIsDiffusers) {
  Block("transformer-linear")
      .expect_reference(GetParam(), DType::kF32, emit_transformer(true, DType::kF32));
}

// The number of heads cannot be read from shapes: a wrong one is another result.
TEST_P(UNet, OneHeadIsNotTwo) {
  arch::UNetConfig config = transformer_config(false);
  config.heads = 0;
  config.head_width = 16;
  Block("transformer").expect_reference(GetParam(), DType::kF32, emit_unet(config, DType::kF32));
  config.head_width = 32;
  EXPECT_NONFATAL_FAILURE(
      Block("transformer")
          .expect_reference(GetParam(), DType::kF32, emit_unet(config, DType::kF32)),
      "out.out_sample");
}

TEST(SkipShapes, AreTheResidualsOfAControlNet) {
  arch::UNetConfig config = transformer_config(false);
  config.down = {{32, {1, 1}, true}, {64, {0}, false}};
  std::vector<std::pair<std::int64_t, std::int64_t>> shapes;
  for (const SkipShape& skip : skip_shapes(config))
    shapes.emplace_back(skip.channels, skip.divisor);
  EXPECT_EQ(shapes, (std::vector<std::pair<std::int64_t, std::int64_t>>{
                        {32, 1}, {32, 1}, {32, 1}, {32, 2}, {64, 2}, {64, 2}}));
}

INSTANTIATE_TEST_SUITE_P(Engines, UNet,
                         testing::Values(runtime::Engine::kOpenVino, runtime::Engine::kOnnxRuntime),
                         engine_of);

}  // namespace
}  // namespace sinter::models
