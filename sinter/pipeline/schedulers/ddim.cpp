#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinter/base/error.h"
#include "sinter/pipeline/noise_schedule.h"
#include "sinter/pipeline/schedulers/elementwise.h"
#include "sinter/pipeline/schedulers/samplers.h"

namespace sinter::pipeline {
namespace {

class Ddim final : public Scheduler {
 public:
  Ddim(const SchedulerConfig& config, int steps)
      : config_(config),
        alphas_(alphas_cumprod(config, false)),
        stride_(config.train_timesteps / steps) {
    for (const double t : spaced_timesteps(config, steps))
      timesteps_.push_back(static_cast<float>(std::nearbyint(t)));
    if (timesteps_.front() >= static_cast<float>(config.train_timesteps)) {
      throw Error(
          ErrorCode::kUsage,
          fmt::format("{} steps with an offset of {} begin at timestep {}, expected at most "
                      "{}",
                      steps, config.steps_offset, timesteps_.front(), config.train_timesteps - 1),
          "take fewer steps");
    }
  }

  Tensor step(std::size_t step, const Tensor& sample, const Tensor& output,
              const Noise& /*noise*/) override {
    const int timestep = static_cast<int>(timesteps_[step]);
    const float alpha = alphas_[static_cast<std::size_t>(timestep)];
    const float signal = std::sqrt(alpha);
    const float noise = std::sqrt(1.0f - alpha);
    const float next_alpha = alpha_at(timestep - stride_);
    const float next_signal = std::sqrt(next_alpha);
    const float next_noise = std::sqrt(1.0f - next_alpha);
    const bool is_v = config_.prediction == arch::Prediction::kV;
    const float limit = config_.clip_sample ? static_cast<float>(config_.clip_range) : INFINITY;
    return map_pair(sample, output, [=](float x, float y) {
      const float picture = is_v ? signal * x - noise * y : (x - noise * y) / signal;
      const float epsilon = is_v ? signal * y + noise * x : y;
      return next_signal * std::clamp(picture, -limit, limit) + next_noise * epsilon;
    });
  }

 private:
  float alpha_at(int timestep) const {
    if (timestep >= 0) return alphas_[static_cast<std::size_t>(timestep)];
    return config_.last_alpha_is_one ? 1.0f : alphas_.front();
  }

  SchedulerConfig config_;
  std::vector<float> alphas_;
  int stride_;  // training steps between two timesteps
};

}  // namespace

std::unique_ptr<Scheduler> make_ddim(const SchedulerConfig& config, int steps) {
  return std::make_unique<Ddim>(config, steps);
}

}  // namespace sinter::pipeline
