#include "sinter/pipeline/parameters.h"

#include <gtest/gtest.h>

namespace sinter::pipeline {
namespace {

TEST(Parameters, TextIsAutomatic1111s) {
  Parameters parameters{.prompt = "a cat, (blue:1.2)",
                        .negative_prompt = "blurry",
                        .steps = 20,
                        .sampler = "DPM++ 2M",
                        .schedule_type = "Karras",
                        .guidance_scale = 7.5,
                        .seed = 4294967303,
                        .width = 512,
                        .height = 768,
                        .model_hash = "6ce0161689",
                        .model = "v1-5: pruned, fp16",
                        .version = "sinter 0.1.0"};
  EXPECT_EQ(
      parameters_text(parameters),
      "a cat, (blue:1.2)\n"
      "Negative prompt: blurry\n"
      "Steps: 20, Sampler: DPM++ 2M, Schedule type: Karras, CFG scale: 7.5, Seed: 4294967303, "
      "Size: 512x768, Model hash: 6ce0161689, Model: \"v1-5: pruned, fp16\", "
      "Version: sinter 0.1.0");
}

TEST(Parameters, EmptyFieldsAreLeftOut) {
  const Parameters parameters{.prompt = "a cat",
                              .steps = 4,
                              .sampler = "LCM",
                              .guidance_scale = 1,
                              .width = 64,
                              .height = 64};
  EXPECT_EQ(parameters_text(parameters),
            "a cat\nSteps: 4, Sampler: LCM, CFG scale: 1, Seed: 0, Size: 64x64");
}

}  // namespace
}  // namespace sinter::pipeline
