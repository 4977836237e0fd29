#include "sinter/pipeline/schedulers/euler.h"

#include <algorithm>
#include <cmath>

#include "sinter/pipeline/noise_schedule.h"
#include "sinter/pipeline/schedulers/elementwise.h"
#include "sinter/pipeline/schedulers/samplers.h"

namespace sinter::pipeline {

EulerBase::EulerBase(const SchedulerConfig& config, int steps) : prediction_(config.prediction) {
  const std::vector<float> training = training_sigmas(alphas_cumprod(config, true));
  std::vector<double> sigmas;
  for (const double t : spaced_timesteps(config, steps)) {
    timesteps_.push_back(static_cast<float>(t));
    // At the float timestep: that is the one which the model is told.
    sigmas.push_back(interpolate(training, static_cast<double>(timesteps_.back())));
  }
  if (config.karras_sigmas) {
    sigmas = karras_sigmas(config.sigma_min.value_or(sigmas.back()),
                           config.sigma_max.value_or(sigmas.front()), steps);
    for (std::size_t i = 0; i < sigmas.size(); ++i)
      timesteps_[i] = static_cast<float>(timestep_of_sigma(training, sigmas[i]));
  }
  for (const double sigma : sigmas) sigmas_.push_back(static_cast<float>(sigma));
  sigmas_.push_back(config.final_sigma_zero ? 0.0f : training.front());

  const float largest = *std::ranges::max_element(sigmas_);
  initial_sigma_ =
      config.spacing == TimestepSpacing::kLeading ? std::sqrt(largest * largest + 1.0f) : largest;
}

Tensor EulerBase::scale_input(const Tensor& sample, std::size_t step) const {
  const float scale = std::sqrt(sigmas_[step] * sigmas_[step] + 1.0f);
  return map_pair(sample, sample, [=](float x, float) { return x / scale; });
}

Tensor EulerBase::moved(const Tensor& sample, const Tensor& output, float sigma, float to) const {
  const float variance = sigma * sigma + 1.0f;
  const float v_scale = -sigma / std::sqrt(variance);
  const bool is_v = prediction_ == arch::Prediction::kV;
  const float step = to - sigma;
  return map_pair(sample, output, [=](float x, float y) {
    const float picture = is_v ? y * v_scale + x / variance : x - sigma * y;
    return x + (x - picture) / sigma * step;
  });
}

namespace {

class Euler final : public EulerBase {
 public:
  using EulerBase::EulerBase;

  Tensor step(std::size_t step, const Tensor& sample, const Tensor& output,
              const Noise& /*noise*/) override {
    return moved(sample, output, sigmas_[step], sigmas_[step + 1]);
  }
};

}  // namespace

std::unique_ptr<Scheduler> make_euler(const SchedulerConfig& config, int steps) {
  return std::make_unique<Euler>(config, steps);
}

}  // namespace sinter::pipeline
