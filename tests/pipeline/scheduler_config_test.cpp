#include "sinter/pipeline/scheduler_config.h"

#include <gtest/gtest.h>

#include "sinter/base/error.h"
#include "sinter/pipeline/scheduler.h"

namespace sinter::pipeline {
namespace {

std::string message_of(std::string_view json) {
  try {
    read_scheduler_config(json);
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

TEST(SchedulerConfig, LeftOutKeysAreTheClassesDefaults) {
  const SchedulerConfig ddim = read_scheduler_config(R"({"_class_name": "DDIMScheduler"})");
  EXPECT_EQ(ddim.spacing, TimestepSpacing::kLeading);
  EXPECT_TRUE(ddim.clip_sample);
  EXPECT_EQ(ddim.beta_schedule, BetaSchedule::kLinear);
  const SchedulerConfig lcm = read_scheduler_config(R"({"_class_name": "LCMScheduler"})");
  EXPECT_EQ(lcm.beta_schedule, BetaSchedule::kScaledLinear);
  EXPECT_EQ(lcm.original_steps, 50);
}

TEST(SchedulerConfig, WrittenTextReadsBackTheSame) {
  for (const char* name : {"DDIMScheduler", "EulerDiscreteScheduler", "LCMScheduler",
                           "EulerAncestralDiscreteScheduler", "DPMSolverMultistepScheduler"}) {
    SchedulerConfig config = default_scheduler_config(name);
    config.prediction = arch::Prediction::kV;
    config.beta_start = 0.00085;
    config.beta_schedule = BetaSchedule::kScaledLinear;
    config.spacing = TimestepSpacing::kTrailing;
    config.zero_terminal_snr = true;
    config.steps_offset = 1;
    EXPECT_EQ(read_scheduler_config(write_scheduler_config(config)), config) << name;
  }
}

TEST(SchedulerConfig, PythonsInfinityIsRead) {
  const SchedulerConfig config = read_scheduler_config(
      R"({"_class_name": "DPMSolverMultistepScheduler", "lambda_min_clipped": -Infinity,
          "note": "\"Infinity\" stays text", "steps_offset": 1})");
  EXPECT_EQ(config.steps_offset, 1);
}

TEST(SchedulerConfig, AnUnknownClassStillGivesItsBetas) {
  const SchedulerConfig config = read_scheduler_config(
      R"({"_class_name": "PNDMScheduler", "beta_schedule": "scaled_linear", "beta_end": 0.012,
          "skip_prk_steps": true, "prediction_type": "v_prediction"})");
  EXPECT_EQ(config.class_name, "PNDMScheduler");
  EXPECT_EQ(config.beta_end, 0.012);
  EXPECT_EQ(config.prediction, arch::Prediction::kV);
  // What belongs to the class itself is not asked for.
  EXPECT_EQ(message_of(R"({"_class_name": "UniPCMultistepScheduler", "solver_order": 3})"),
            "no error");
}

TEST(SchedulerConfig, ASettingOfTheClassAloneIsRefusedWhereTheClassIsUsed) {
  const SchedulerConfig noisy = read_scheduler_config(
      R"({"_class_name": "DPMSolverMultistepScheduler", "algorithm_type": "sde-dpmsolver++"})");
  EXPECT_EQ(noisy.refusal,
            "the scheduler's 'algorithm_type' is \"sde-dpmsolver++\", expected \"dpmsolver++\"");
  EXPECT_THROW(make_scheduler(config_for(sampler_of(noisy), noisy), 4), Error);
  EXPECT_NO_THROW(make_scheduler(config_for(sampler_from_name("euler"), noisy), 4));
  EXPECT_EQ(
      read_scheduler_config(R"({"_class_name": "DPMSolverMultistepScheduler", "solver_order": 3})")
          .refusal,
      "the scheduler's 'solver_order' is 3, expected 1 or 2");
}

TEST(SchedulerConfig, RefusesWhatWouldChangeTheNumbers) {
  EXPECT_EQ(message_of(R"({"_class_name": "EulerDiscreteScheduler", "prediction_type": "sample"})"),
            "the scheduler's 'prediction_type' is \"sample\", expected \"epsilon\" or "
            "\"v_prediction\"");
  EXPECT_EQ(message_of(R"({"_class_name": "DDIMScheduler", "steps_offset": 1.5})"),
            "the scheduler's 'steps_offset' is 1.5, expected an integer");
  EXPECT_EQ(message_of(R"({"num_train_timesteps": 0})"),
            "the scheduler's 'num_train_timesteps' is 0, expected 1 to 1000000");
  EXPECT_EQ(message_of("[]"), "the scheduler's configuration is a JSON array, expected an object");
  EXPECT_NE(message_of("{"), "no error");
}

}  // namespace
}  // namespace sinter::pipeline
