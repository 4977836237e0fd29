#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "sinter/base/error.h"
#include "sinter/pipeline/noise_schedule.h"
#include "sinter/pipeline/schedulers/elementwise.h"
#include "sinter/pipeline/schedulers/samplers.h"

namespace sinter::pipeline {
namespace {

// The point of the diffusion at a sigma: share of signal, of noise, and half the log of their
// ratio squared.
struct Point {
  explicit Point(float sigma)
      : alpha(1.0f / std::sqrt(sigma * sigma + 1.0f)),
        noise(sigma * alpha),
        lambda(std::log(alpha) - std::log(noise)) {}

  float alpha;
  float noise;
  float lambda;  // infinite where there is no noise
};

class DpmPp2m final : public Scheduler {
 public:
  DpmPp2m(const SchedulerConfig& config, int steps) : config_(config) {
    const std::vector<float> training = training_sigmas(alphas_cumprod(config, true));
    std::vector<double> timesteps;
    std::vector<double> sigmas;
    if (config.karras_sigmas) {
      sigmas = karras_sigmas(static_cast<double>(training.front()),
                             static_cast<double>(training.back()), steps);
      const bool whole = config.beta_schedule != BetaSchedule::kSquaredCosine;
      for (const double sigma : sigmas) {
        const double t = timestep_of_sigma(training, sigma);
        timesteps.push_back(whole ? std::nearbyint(t) : std::trunc(t));
      }
    } else {
      timesteps = timesteps_without_zero(steps);
      for (const double t : timesteps) sigmas.push_back(interpolate(training, t));
    }
    // Between equal sigmas the step's logarithm has no length.
    if (std::ranges::adjacent_find(timesteps) != timesteps.end()) {
      throw Error(ErrorCode::kUsage,
                  fmt::format("{} steps take a timestep twice; the model has {}", steps,
                              config.train_timesteps),
                  "take fewer steps");
    }
    for (const double t : timesteps) timesteps_.push_back(static_cast<float>(t));
    for (const double sigma : sigmas) sigmas_.push_back(static_cast<float>(sigma));
    sigmas_.push_back(config.final_sigma_zero ? 0.0f : training.front());
  }

  Tensor step(std::size_t step, const Tensor& sample, const Tensor& output,
              const Noise& /*noise*/) override {
    const Point from(sigmas_[step]);
    const Point to(sigmas_[step + 1]);
    const bool is_v = config_.prediction == arch::Prediction::kV;
    Tensor picture = map_pair(sample, output, [=](float x, float y) {
      return is_v ? from.alpha * x - from.noise * y : (x - from.noise * y) / from.alpha;
    });

    const float h = to.lambda - from.lambda;
    const float shrink = to.noise / from.noise;
    const float toward = to.alpha * (std::exp(-h) - 1.0f);
    Tensor next =
        map_pair(sample, picture, [=](float x, float p) { return shrink * x - toward * p; });
    if (previous_ && !first_order(step)) {
      const Point before(sigmas_[step - 1]);
      const float ratio = (from.lambda - before.lambda) / h;
      const Tensor slope =
          map_pair(picture, *previous_, [=](float p, float q) { return 1.0f / ratio * (p - q); });
      next = map_pair(next, slope, [=](float x, float d) { return x - 0.5f * toward * d; });
    }
    previous_ = std::move(picture);
    return next;
  }

 private:
  // One timestep more than steps is spread out, and the last (0) is not visited.
  std::vector<double> timesteps_without_zero(int steps) const {
    const bool trailing = config_.spacing == TimestepSpacing::kTrailing;
    std::vector<double> timesteps = spaced_timesteps(config_, trailing ? steps : steps + 1);
    if (!trailing) timesteps.pop_back();
    for (double& t : timesteps) t = std::nearbyint(t);
    return timesteps;
  }

  // Where the end needs a lower order to stay stable (Lu et al. 2022, section 6).
  bool first_order(std::size_t step) const {
    const std::size_t steps = timesteps_.size();
    if (config_.solver_order == 1) return true;
    return step + 1 == steps && (config_.euler_at_final || config_.final_sigma_zero ||
                                 (config_.lower_order_final && steps < 15));
  }

  SchedulerConfig config_;
  std::optional<Tensor> previous_;  // the picture predicted at the step before
};

}  // namespace

std::unique_ptr<Scheduler> make_dpmpp_2m(const SchedulerConfig& config, int steps) {
  return std::make_unique<DpmPp2m>(config, steps);
}

}  // namespace sinter::pipeline
