#include "sinter/pipeline/scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "sinter/base/error.h"
#include "sinter/base/file.h"

namespace sinter::pipeline {
namespace {

// A one-dimensional .npy of version 1: six bytes of magic, version, header length, header, values.
template <typename T>
std::vector<T> read_npy(const std::string& name) {
  const std::string bytes = read_text(std::string(SINTER_TEST_DATA) + "/pipeline/golden/" + name);
  std::uint16_t header_bytes = 0;
  std::memcpy(&header_bytes, bytes.data() + 8, sizeof header_bytes);
  const std::size_t begin = 10u + header_bytes;
  std::vector<T> values((bytes.size() - begin) / sizeof(T));
  std::memcpy(values.data(), bytes.data() + begin, values.size() * sizeof(T));
  return values;
}

SchedulerConfig stable_diffusion(std::string_view class_name) {
  SchedulerConfig config = default_scheduler_config(class_name);
  config.beta_start = 0.00085;
  config.beta_end = 0.012;
  config.beta_schedule = BetaSchedule::kScaledLinear;
  config.steps_offset = 1;
  config.clip_sample = false;
  config.last_alpha_is_one = false;
  return config;
}

TEST(Scheduler, TimestepsAreThoseOfTheGoldenRuns) {
  const auto ddim = make_scheduler(stable_diffusion("DDIMScheduler"), 20);
  const auto expected = read_npy<std::int64_t>("ddim_timesteps.npy");
  ASSERT_EQ(ddim->timesteps().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(ddim->timesteps()[i], static_cast<float>(expected[i]));

  const auto euler = make_scheduler(stable_diffusion("EulerDiscreteScheduler"), 20);
  const auto timesteps = read_npy<float>("euler_timesteps.npy");
  const auto sigmas = read_npy<float>("euler_sigmas.npy");
  ASSERT_EQ(euler->timesteps().size(), timesteps.size());
  ASSERT_EQ(euler->sigmas().size(), sigmas.size());
  for (std::size_t i = 0; i < timesteps.size(); ++i)
    EXPECT_FLOAT_EQ(euler->timesteps()[i], timesteps[i]);
  for (std::size_t i = 0; i < sigmas.size(); ++i) EXPECT_FLOAT_EQ(euler->sigmas()[i], sigmas[i]);
}

// A model that knows the answer: x = alpha * picture + deviation * noise, whatever the step.
TEST(Scheduler, EverySamplerArrivesAtThePictureOfAPerfectModel) {
  constexpr float kPicture = 0.75f;
  for (const Sampler& sampler : samplers()) {
    for (const arch::Prediction prediction : {arch::Prediction::kEpsilon, arch::Prediction::kV}) {
      SchedulerConfig config = config_for(sampler, stable_diffusion("DDIMScheduler"));
      config.prediction = prediction;
      config.last_alpha_is_one = true;
      const auto scheduler = make_scheduler(config, 8);
      const SchedulerConfig reference = stable_diffusion("EulerDiscreteScheduler");
      Tensor sample({1, 1, 1, 2}, std::array{0.3f, -1.2f});
      for (float& value : sample.floats()) value *= scheduler->initial_sigma();
      const auto noise = [](const Shape& shape) { return Tensor(shape, std::array{0.5f, -0.25f}); };
      for (std::size_t i = 0; i < 8; ++i) {
        // Deviation over signal at that timestep, from the scheduler itself or from Euler's table.
        float sigma = 0;
        if (scheduler->sigmas().empty()) {
          const auto whole = make_scheduler(reference, 1000);
          sigma = whole->sigmas()[999 - static_cast<std::size_t>(scheduler->timesteps()[i])];
        } else {
          sigma = scheduler->sigmas()[i];
        }
        const float signal = 1 / std::sqrt(sigma * sigma + 1);
        const Tensor input = scheduler->scale_input(sample, i);
        Tensor output(DType::kF32, sample.shape());
        for (std::size_t j = 0; j < 2; ++j) {
          const float epsilon = (input.floats()[j] - signal * kPicture) / (sigma * signal);
          output.floats()[j] = prediction == arch::Prediction::kV
                                   ? signal * epsilon - sigma * signal * kPicture
                                   : epsilon;
        }
        sample = scheduler->step(i, sample, output, noise);
      }
      for (const float value : sample.floats()) EXPECT_NEAR(value, kPicture, 1e-3f) << sampler.name;
    }
  }
}

// Sigma starts at 4096, so the last bit of it is seen in the result. Values of diffusers 0.42.1.
TEST(Scheduler, FewEulerStepsFromZeroTerminalSnrArriveWhereDiffusersDoes) {
  struct Row {
    TimestepSpacing spacing;
    int steps;
    std::array<float, 4> latents;
  };
  constexpr std::array kRows{
      Row{TimestepSpacing::kLinspace, 2, {-0.20266640f, 1.0684736f, -0.37190628f, -1.6426899f}},
      Row{TimestepSpacing::kLinspace, 3, {0.049883045f, 0.20862477f, 0.028721394f, -0.13002038f}},
      Row{TimestepSpacing::kLinspace, 4, {0.12228490f, 0.069210559f, 0.12936160f, 0.18243101f}},
      Row{TimestepSpacing::kTrailing, 2, {0.042541116f, 0.22922337f, 0.017648995f, -0.16905081f}},
      Row{TimestepSpacing::kTrailing, 3, {0.11718350f, 0.079742074f, 0.12217577f, 0.15961361f}},
      Row{TimestepSpacing::kTrailing, 4, {0.16485800f, 0.044425994f, 0.18091604f, 0.30134583f}},
  };
  for (const Row& row : kRows) {
    SchedulerConfig config = stable_diffusion("EulerDiscreteScheduler");
    config.prediction = arch::Prediction::kV;
    config.zero_terminal_snr = true;
    config.spacing = row.spacing;
    const auto scheduler = make_scheduler(config, row.steps);
    EXPECT_EQ(scheduler->initial_sigma(), 4096.0f);
    Tensor sample({1, 1, 2, 2}, std::array{0.3f, -1.2f, 0.5f, 2.0f});
    for (float& value : sample.floats()) value *= scheduler->initial_sigma();
    for (int i = 0; i < row.steps; ++i) {
      const auto step = static_cast<std::size_t>(i);
      Tensor output = scheduler->scale_input(sample, step);
      for (float& value : output.floats()) value = 0.9f * value - 0.05f * static_cast<float>(i + 1);
      sample = scheduler->step(step, sample, output, nullptr);
    }
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(sample.floats()[i], row.latents[i], 5e-7f) << row.steps << " steps, " << i;
  }
}

TEST(Scheduler, ASamplerOfAnotherClassKeepsTheModelsSettings) {
  SchedulerConfig config = stable_diffusion("DDIMScheduler");
  config.prediction = arch::Prediction::kV;
  config.zero_terminal_snr = true;
  config.spacing = TimestepSpacing::kTrailing;
  const SchedulerConfig euler = config_for(sampler_from_name("euler-karras"), config);
  EXPECT_EQ(euler.class_name, "EulerDiscreteScheduler");
  EXPECT_EQ(euler.prediction, arch::Prediction::kV);
  EXPECT_EQ(euler.beta_schedule, BetaSchedule::kScaledLinear);
  EXPECT_EQ(euler.spacing, TimestepSpacing::kTrailing);
  EXPECT_TRUE(euler.zero_terminal_snr && euler.karras_sigmas);
  config.spacing = TimestepSpacing::kLeading;
  EXPECT_EQ(config_for(sampler_from_name("euler"), config).spacing, TimestepSpacing::kLinspace);
  EXPECT_EQ(config_for(sampler_from_name("ddim"), config), config);
}

TEST(Scheduler, UnknownNamesSuggestTheNearest) {
  try {
    sampler_from_name("dpmpp2m");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(),
              "there is no sampler 'dpmpp2m'; the samplers are ddim, euler, euler-karras, euler-a, "
              "dpmpp-2m, dpmpp-2m-karras, lcm");
    EXPECT_EQ(error.hint(), "did you mean 'dpmpp-2m'?");
  }
}

TEST(Scheduler, OfAClassThatSinterLacksIsTheNearestThatSolvesTheSame) {
  EXPECT_EQ(sampler_of(stable_diffusion("PNDMScheduler")).name, "ddim");
  EXPECT_EQ(sampler_of(stable_diffusion("HeunDiscreteScheduler")).name, "euler");
  EXPECT_EQ(sampler_of(stable_diffusion("KDPM2AncestralDiscreteScheduler")).name, "euler-a");
  SchedulerConfig unipc = stable_diffusion("UniPCMultistepScheduler");
  EXPECT_EQ(sampler_of(unipc).name, "dpmpp-2m");
  unipc.karras_sigmas = true;
  EXPECT_EQ(sampler_of(unipc).name, "dpmpp-2m-karras");
  SchedulerConfig pndm = stable_diffusion("PNDMScheduler");
  pndm.karras_sigmas = true;
  EXPECT_EQ(sampler_of(pndm).name, "ddim");
  try {
    sampler_of(stable_diffusion("FlowMatchEulerDiscreteScheduler"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_EQ(error.message(),
              "the scheduler is a 'FlowMatchEulerDiscreteScheduler', which is not one of this "
              "release");
  }
}

// Values of diffusers 0.42.1: EulerDiscreteScheduler(beta_start=0.00085, beta_end=0.012,
// beta_schedule="scaled_linear", prediction_type="v_prediction", rescale_betas_zero_snr=True,
// timestep_spacing="trailing").set_timesteps(5).
TEST(Scheduler, ZeroTerminalSnrBeginsAtPureNoise) {
  SchedulerConfig config = stable_diffusion("EulerDiscreteScheduler");
  config.prediction = arch::Prediction::kV;
  config.zero_terminal_snr = true;
  config.spacing = TimestepSpacing::kTrailing;
  const auto euler = make_scheduler(config, 5);
  constexpr std::array kTimesteps{999.0f, 799.0f, 599.0f, 399.0f, 199.0f};
  constexpr std::array kSigmas{4096.0f,           7.410707473754883f, 2.604856252670288f,
                               1.24137544631958f, 0.59475177526474f,  0.0f};
  EXPECT_TRUE(std::ranges::equal(euler->timesteps(), kTimesteps));
  ASSERT_EQ(euler->sigmas().size(), kSigmas.size());
  for (std::size_t i = 0; i < kSigmas.size(); ++i)
    EXPECT_NEAR(euler->sigmas()[i], kSigmas[i], 1e-5f * kSigmas[i]) << i;
  EXPECT_FLOAT_EQ(euler->initial_sigma(), 4096.0f);
}

TEST(Scheduler, RefusesStepsThatItCannotTake) {
  const SchedulerConfig ddim = stable_diffusion("DDIMScheduler");
  EXPECT_THROW(make_scheduler(ddim, 0), Error);
  EXPECT_THROW(make_scheduler(ddim, 1001), Error);
  EXPECT_THROW(make_scheduler(ddim, 1000), Error);  // the offset leads beyond the training
  EXPECT_NO_THROW(make_scheduler(ddim, 999));
  EXPECT_THROW(make_scheduler(stable_diffusion("LCMScheduler"), 51), Error);
  const auto euler = make_scheduler(stable_diffusion("EulerDiscreteScheduler"), 2);
  EXPECT_THROW(
      euler->step(0, Tensor(DType::kF32, {1, 4, 2, 2}), Tensor(DType::kF32, {1, 4, 2, 3}), nullptr),
      Error);
}

}  // namespace
}  // namespace sinter::pipeline
