#include "sinter/verify/controlled_case.h"

#include <gtest/gtest.h>

namespace sinter::verify {
namespace {

TEST(ResidualInput, TakesTheOutputOfItsNumber) {
  EXPECT_EQ(residual_input("down_block_res_sample_11"), "down_block_additional_residual_11");
  EXPECT_EQ(residual_input("mid_block_res_sample"), "mid_block_additional_residual");
  EXPECT_EQ(residual_input("out_sample"), std::nullopt);
}

TEST(ControlledCase, IsThatOfTheUNetWithTheResiduals) {
  const ReferenceCase control{.path = "case.safetensors",
                              .component = "controlnet",
                              .metadata = {},
                              .inputs = {{"sample", Tensor(DType::kF32, {1, 4, 2, 2})}},
                              .outputs = {{"unet_out_sample", Tensor(DType::kF32, {1, 4, 2, 2})},
                                          {"mid_block_res_sample", Tensor()}}};
  const auto unet = controlled_case(control, {{"mid_block_res_sample", Tensor()}});
  ASSERT_TRUE(unet.has_value());
  EXPECT_EQ(unet->component, "unet");
  EXPECT_TRUE(unet->inputs.contains("sample"));
  EXPECT_TRUE(unet->inputs.contains("mid_block_additional_residual"));
  EXPECT_EQ(unet->outputs.size(), 1u);
  EXPECT_TRUE(unet->outputs.contains("out_sample"));
}

TEST(ControlledCase, IsNoneWhereTheCaseDoesNotSay) {
  const ReferenceCase control{
      .path = {}, .component = "controlnet", .metadata = {}, .inputs = {}, .outputs = {}};
  EXPECT_FALSE(controlled_case(control, {}).has_value());
}

}  // namespace
}  // namespace sinter::verify
