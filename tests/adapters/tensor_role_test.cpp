#include "sinter/adapters/file/tensor_role.h"

#include <gtest/gtest.h>

namespace sinter::adapters {
namespace {

void expect_role(std::string_view name, std::string_view module, TensorRole role) {
  const auto found = role_of_name(name);
  ASSERT_TRUE(found.has_value()) << name;
  EXPECT_EQ(found->module, module);
  EXPECT_EQ(found->role, role) << name;
}

TEST(TensorRole, IsToldByTheEndingInEveryLayout) {
  expect_role("lora_unet_a_to_q.lora_down.weight", "lora_unet_a_to_q", TensorRole::kDown);
  expect_role("unet.a.to_q.lora_A.weight", "unet.a.to_q", TensorRole::kDown);
  expect_role("a.to_q.lora_B.default.weight", "a.to_q", TensorRole::kUp);
  expect_role("a.to_q.lora_B.my-style.weight", "a.to_q", TensorRole::kUp);
  expect_role("unet.a.processor.to_out_lora.up.weight", "unet.a.processor.to_out", TensorRole::kUp);
  expect_role("unet.a.to_q.lora.down.weight", "unet.a.to_q", TensorRole::kDown);
  expect_role("t.q_proj.lora_linear_layer.up.weight", "t.q_proj", TensorRole::kUp);
  expect_role("a.lora_magnitude_vector", "a", TensorRole::kDoraMagnitude);
  expect_role("a.lora_magnitude_vector.default.weight", "a", TensorRole::kDoraMagnitude);
  expect_role("a.hada_t2", "a", TensorRole::kHadamard2Core);
  expect_role("a.weight", "a", TensorRole::kScaling);
  expect_role("a.b1.weight", "a", TensorRole::kForeign);
}

TEST(TensorRole, IsNothingForOtherNames) {
  for (const std::string_view name :
       {"", ".alpha", "alpha", "a.bias", "bundle_emb.x.string", ".weight"})
    EXPECT_FALSE(role_of_name(name).has_value()) << name;
}

}  // namespace
}  // namespace sinter::adapters
