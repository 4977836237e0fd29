#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinter/base/error.h"
#include "sinter/pipeline/noise_schedule.h"
#include "sinter/pipeline/schedulers/elementwise.h"
#include "sinter/pipeline/schedulers/samplers.h"

namespace sinter::pipeline {
namespace {

constexpr double kSigmaData = 0.5;  // of the boundary condition (Luo et al. 2023, section 4.1)

class Lcm final : public Scheduler {
 public:
  Lcm(const SchedulerConfig& config, int steps)
      : config_(config), alphas_(alphas_cumprod(config, false)) {
    const int original = config.original_steps;
    if (original < 1 || original > config.train_timesteps || steps > original) {
      throw Error(ErrorCode::kUsage,
                  fmt::format("{} steps of latent consistency, expected at most {}, those of its "
                              "distillation",
                              steps, original),
                  "such a model is made for 2 to 8 steps");
    }
    // Every k-th training step was distilled; the steps taken are spread evenly over those.
    const int k = config.train_timesteps / original;
    const double stride = static_cast<double>(original) / steps;
    for (int i = 0; i < steps; ++i) {
      const int index = static_cast<int>(std::floor(i * stride));
      timesteps_.push_back(static_cast<float>((original - index) * k - 1));
    }
  }

  Tensor step(std::size_t step, const Tensor& sample, const Tensor& output,
              const Noise& noise) override {
    const auto timestep = static_cast<std::size_t>(timesteps_[step]);
    const float signal = std::sqrt(alphas_[timestep]);
    const float deviation = std::sqrt(1.0f - alphas_[timestep]);
    const bool is_v = config_.prediction == arch::Prediction::kV;
    const float limit = config_.clip_sample ? static_cast<float>(config_.clip_range) : INFINITY;

    const double scaled = static_cast<double>(timestep) * config_.timestep_scaling;
    const double variance = scaled * scaled + kSigmaData * kSigmaData;
    const auto skip = static_cast<float>(kSigmaData * kSigmaData / variance);
    const auto out = static_cast<float>(scaled / std::sqrt(variance));
    Tensor denoised = map_pair(sample, output, [=](float x, float y) {
      const float picture = is_v ? signal * x - deviation * y : (x - deviation * y) / signal;
      return out * std::clamp(picture, -limit, limit) + skip * x;
    });
    if (step + 1 == timesteps_.size()) return denoised;

    const float next_alpha = alphas_[static_cast<std::size_t>(timesteps_[step + 1])];
    const float next_signal = std::sqrt(next_alpha);
    const float next_noise = std::sqrt(1.0f - next_alpha);
    return map_pair(denoised, noise(sample.shape()),
                    [=](float x, float z) { return next_signal * x + next_noise * z; });
  }

 private:
  SchedulerConfig config_;
  std::vector<float> alphas_;
};

}  // namespace

std::unique_ptr<Scheduler> make_lcm(const SchedulerConfig& config, int steps) {
  return std::make_unique<Lcm>(config, steps);
}

}  // namespace sinter::pipeline
