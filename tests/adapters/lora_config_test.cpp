#include "sinter/adapters/file/lora_config.h"

#include <gtest/gtest.h>

#include "sinter/base/error.h"

namespace sinter::adapters {
namespace {

LoraConfig read(const std::string& json) {
  return read_lora_config({{"lora_adapter_metadata", json}});
}

std::string refusal(const std::string& json) {
  try {
    read(json);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(LoraConfig, HasAnAlphaForEachNetworkAndForSingleModules) {
  const LoraConfig config = read(R"({"unet.r": 4, "unet.lora_alpha": 6,
    "unet.alpha_pattern": {"mid_block.attn1.to_q": 3, "^down\\.to_k$": 2.5},
    "text_encoder_2.lora_alpha": 5, "text_encoder_2.use_rslora": true})");
  EXPECT_EQ(config.alpha_of("unet.up.to_q")->alpha, 6);
  EXPECT_EQ(config.alpha_of("unet.mid_block.attn1.to_q")->alpha, 3);
  EXPECT_EQ(config.alpha_of("unet.xmid_block.attn1.to_q")->alpha, 6);
  EXPECT_EQ(config.alpha_of("unet.down.to_k")->alpha, 2.5);
  EXPECT_FALSE(config.alpha_of("unet.up.to_q")->rank_stabilised);
  EXPECT_TRUE(config.alpha_of("text_encoder_2.q_proj")->rank_stabilised);
  EXPECT_FALSE(config.alpha_of("text_encoder.q_proj").has_value());
  EXPECT_FALSE(read_lora_config({}).alpha_of("unet.up.to_q").has_value());
}

TEST(LoraConfig, RefusesWhatItCannotRead) {
  EXPECT_EQ(refusal("[1"), "the metadata's lora_adapter_metadata is no JSON object");
  EXPECT_EQ(refusal(R"({"unet.lora_alpha": "6"})"),
            "lora_alpha of the metadata's lora_adapter_metadata is \"6\", expected a number");
  const std::string pattern = R"j({"unet.alpha_pattern": {"to_(q|k)": 6}})j";
  EXPECT_EQ(refusal(pattern),
            "the metadata's lora_adapter_metadata has the pattern 'to_(q|k)', expected a module's "
            "name\nhint: saving the adapter again with diffusers or PEFT writes names");
}

}  // namespace
}  // namespace sinter::adapters
