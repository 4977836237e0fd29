#include <gtest/gtest.h>

#include "sinter/base/error.h"
#include "sinter/cli/adapter_options.h"
#include "sinter/cli/prompt_tags.h"
#include "tests/cli/command_test.h"

namespace sinter::cli {
namespace {

TEST(PromptTags, AreTakenOutOfThePrompt) {
  const TaggedPrompt prompt =
      read_tags("a cat, <lora:ink:0.8>, <b> <lyco:pen:0.5:unet=0.2> <lora:x>");
  EXPECT_EQ(prompt.text, "a cat, , <b>  ");
  ASSERT_EQ(prompt.tags.size(), 3U);
  EXPECT_EQ(prompt.tags[0].name, "ink");
  EXPECT_EQ(prompt.tags[0].strength, (adapters::Strength{.unet = 0.8F, .text = 0.8F}));
  EXPECT_EQ(prompt.tags[1].strength, (adapters::Strength{.unet = 0.2F, .text = 0.5F}));
  EXPECT_EQ(prompt.tags[2].strength, (adapters::Strength{.unet = 1, .text = 1}));
}

TEST(PromptTags, GiveTheTextEncodersWeightFirst) {
  const TaggedPrompt prompt = read_tags("<lora:ink:0.8:-0.3>");
  EXPECT_EQ(prompt.tags.front().strength, (adapters::Strength{.unet = -0.3F, .text = 0.8F}));
}

TEST(PromptTags, RefuseWeightsThatAreNoNumbersAndHypernetworks) {
  const auto refusal = [](std::string_view prompt) {
    try {
      read_tags(prompt);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  for (const std::string_view weight : {"nan", "inf", "much", ""})
    EXPECT_EQ(refusal("<lora:ink:" + std::string(weight) + ">"),
              "the prompt gives 'ink' the weight '" + std::string(weight) +
                  "', expected a finite number");
  EXPECT_EQ(
      refusal("<hypernet:ink:1>"),
      "the prompt asks for a hypernetwork: <hypernet:ink:1>\nhint: leave it out; sinter has no "
      "hypernetworks");
}

class AdapterCommand : public CommandTest {};

TEST_F(AdapterCommand, MergesWhatFitsAndSaysWhatDoesNot) {
  const std::string checkpoint = stand_in("sd1");
  write_keys("a:b.safetensors",
             {{"lora_unet_down_blocks_0_attentions_0_proj_in.lora_up.weight", {32, 2, 1, 1}},
              {"lora_unet_down_blocks_0_attentions_0_proj_in.lora_down.weight", {2, 32, 1, 1}},
              {"lora_unet_input_blocks_1_1_proj_out.lora_up.weight", {32, 2, 1, 1}},
              {"lora_unet_input_blocks_1_1_proj_out.lora_down.weight", {2, 99, 1, 1}},
              {"lora_unet_nowhere.lora_up.weight", {32, 2}},
              {"lora_unet_nowhere.lora_down.weight", {2, 32}},
              {"stray", {1}}});
  const nlohmann::json result =
      json({"convert", checkpoint, "out", "--lora", "a:b.safetensors:0.5:-1"});
  const nlohmann::json& adapter = result.at("adapters").at(0);
  EXPECT_EQ(adapter.at("weight"), 0.5);
  EXPECT_EQ(adapter.at("text_weight"), -1);
  EXPECT_EQ(adapter.at("modules"), 3);
  EXPECT_EQ(adapter.at("applied"), 1);
  EXPECT_EQ(adapter.at("components"), nlohmann::json({{"unet", 1}}));
  EXPECT_EQ(adapter.at("unknown"), nlohmann::json({"lora_unet_nowhere"}));
  EXPECT_EQ(
      adapter.at("wrong_shape").at(0).at("reason"),
      "'lora_unet_input_blocks_1_1_proj_out.lora_down.weight' is [2,99,1,1], expected [2,32]");
  EXPECT_EQ(adapter.at("stray"), nlohmann::json({"stray"}));
  EXPECT_EQ(result.at("computed").at("tensors"), 1);
}

TEST_F(AdapterCommand, RefusesAnAdapterThatFitsNothing) {
  const std::string checkpoint = stand_in("sd1");
  write_keys("xl.safetensors", {{"lora_te2_nowhere.lora_up.weight", {32, 2}},
                                {"lora_te2_nowhere.lora_down.weight", {2, 32}}});
  const Ended ended = sinter({"convert", checkpoint, "out", "--lora", "xl.safetensors"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(
      ended.err.find("error: 'xl.safetensors' changes nothing of the checkpoint, which is Stable "
                     "Diffusion 1.x: 1 module is not in it, the first is "
                     "'lora_te2_nowhere'\n"),
      std::string::npos)
      << ended.err;
  EXPECT_NE(ended.err.find("for Stable Diffusion XL base"), std::string::npos) << ended.err;
}

TEST_F(AdapterCommand, RefusesWeightsThatAreNoNumbers) {
  const std::string checkpoint = stand_in("sd1");
  write_keys("a.safetensors", {{"x.lora_up.weight", {1, 1}}, {"x.lora_down.weight", {1, 1}}});
  for (const std::string weight : {"nan", "inf", "1x"})
    expect_error(sinter({"convert", checkpoint, "out", "--lora", "a.safetensors:" + weight}), 2,
                 "error: the weight of a.safetensors is '" + weight +
                     "', expected a finite number\n"
                     "hint: --lora takes FILE, FILE:WEIGHT or FILE:WEIGHT:TE_WEIGHT\n");
}

}  // namespace
}  // namespace sinter::cli
