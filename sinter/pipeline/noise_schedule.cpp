#include "sinter/pipeline/noise_schedule.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace sinter::pipeline {
namespace {

// What stands for a share of zero: half precision's smallest positive number.
constexpr float kLeastShare = 0x1.0p-24f;
// Its sigma in PyTorch, whose square root of 16777215 is rounded up. The nearest float, one unit
// below, moves a latent that starts from it by 5e-4.
constexpr float kLargestSigma = 4096.0f;

// torch.linspace in float32: the second half counts down from the end.
std::vector<float> float_linspace(double first, double last, std::size_t count) {
  const auto begin = static_cast<float>(first);
  const auto end = static_cast<float>(last);
  const float step = count > 1 ? (end - begin) / static_cast<float>(count - 1) : 0.0f;
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = i < count / 2 ? begin + step * static_cast<float>(i)
                              : end - step * static_cast<float>(count - i - 1);
  }
  if (count == 1) values[0] = begin;
  return values;
}

// Source: Nichol and Dhariwal 2021 (arXiv 2102.09672), eq. 17.
std::vector<float> squared_cosine_betas(std::size_t count) {
  const auto alpha_bar = [&](std::size_t step) {
    const double t = static_cast<double>(step) / static_cast<double>(count);
    const double root = std::cos((t + 0.008) / 1.008 * std::numbers::pi / 2);
    return root * root;
  };
  std::vector<float> betas(count);
  for (std::size_t i = 0; i < count; ++i)
    betas[i] = static_cast<float>(std::min(1 - alpha_bar(i + 1) / alpha_bar(i), 0.999));
  return betas;
}

std::vector<float> betas_of(const SchedulerConfig& config) {
  const auto count = static_cast<std::size_t>(config.train_timesteps);
  if (!config.trained_betas.empty())
    return {config.trained_betas.begin(), config.trained_betas.end()};
  switch (config.beta_schedule) {
    case BetaSchedule::kSquaredCosine:
      return squared_cosine_betas(count);
    case BetaSchedule::kScaledLinear: {
      std::vector<float> betas =
          float_linspace(std::sqrt(config.beta_start), std::sqrt(config.beta_end), count);
      for (float& beta : betas) beta *= beta;
      return betas;
    }
    case BetaSchedule::kLinear:
      break;
  }
  return float_linspace(config.beta_start, config.beta_end, count);
}

std::vector<float> cumulative_product(std::span<const float> betas) {
  std::vector<float> products;
  products.reserve(betas.size());
  double product = 1.0;  // PyTorch sums and multiplies floats up in double
  for (const float beta : betas) {
    product *= static_cast<double>(1.0f - beta);
    products.push_back(static_cast<float>(product));
  }
  return products;
}

// Shifts and scales sqrt(alpha bar) so that the last is zero and the first stays.
std::vector<float> rescaled_to_zero_snr(std::span<const float> betas) {
  std::vector<float> roots = cumulative_product(betas);
  for (float& root : roots) root = std::sqrt(root);
  const float first = roots.front();
  const float last = roots.back();
  for (float& root : roots) root = (root - last) * (first / (first - last));
  std::vector<float> result(roots.size());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const float bar = roots[i] * roots[i];
    const float alpha = i == 0 ? bar : bar / (roots[i - 1] * roots[i - 1]);
    result[i] = 1.0f - alpha;
  }
  return result;
}

}  // namespace

std::vector<float> alphas_cumprod(const SchedulerConfig& config, bool keep_above_zero) {
  std::vector<float> betas = betas_of(config);
  if (config.zero_terminal_snr) betas = rescaled_to_zero_snr(betas);
  std::vector<float> alphas = cumulative_product(betas);
  if (config.zero_terminal_snr && keep_above_zero) alphas.back() = kLeastShare;
  return alphas;
}

std::vector<float> training_sigmas(std::span<const float> alphas) {
  std::vector<float> sigmas;
  sigmas.reserve(alphas.size());
  for (const float alpha : alphas)
    sigmas.push_back(alpha == kLeastShare ? kLargestSigma : std::sqrt((1.0f - alpha) / alpha));
  return sigmas;
}

std::vector<double> linspace(double last, int count) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(count));
  const double step = count > 1 ? last / (count - 1) : 0.0;
  for (int i = 0; i < count; ++i) values.push_back(i * step);
  if (count > 1) values.back() = last;
  return values;
}

std::vector<double> spaced_timesteps(const SchedulerConfig& config, int count) {
  const int train = config.train_timesteps;
  const int stride = train / count;  // whole training steps, rounded down
  std::vector<double> timesteps;
  switch (config.spacing) {
    case TimestepSpacing::kLinspace:
      timesteps = linspace(train - 1, count);
      std::ranges::reverse(timesteps);
      break;
    case TimestepSpacing::kLeading:
      for (int i = count - 1; i >= 0; --i) timesteps.push_back(i * stride + config.steps_offset);
      break;
    case TimestepSpacing::kTrailing: {
      const double ratio = static_cast<double>(train) / count;
      for (int i = 0; i < count; ++i) timesteps.push_back(std::nearbyint(train - i * ratio) - 1);
      break;
    }
  }
  return timesteps;
}

double interpolate(std::span<const float> values, double index) {
  if (index <= 0) return static_cast<double>(values.front());
  if (index >= static_cast<double>(values.size() - 1)) return static_cast<double>(values.back());
  const double low = std::floor(index);
  const auto at = static_cast<std::size_t>(low);
  const auto first = static_cast<double>(values[at]);
  return first + (static_cast<double>(values[at + 1]) - first) * (index - low);
}

std::vector<double> karras_sigmas(double minimum, double maximum, int count) {
  constexpr double kRho = 7.0;
  const double low = std::pow(minimum, 1 / kRho);
  const double high = std::pow(maximum, 1 / kRho);
  std::vector<double> sigmas;
  for (const double ramp : linspace(1.0, count))
    sigmas.push_back(std::pow(high + ramp * (low - high), kRho));
  return sigmas;
}

double timestep_of_sigma(std::span<const float> sigmas, double sigma) {
  const double target = std::log(std::max(sigma, 1e-10));
  const auto log_at = [&](std::size_t i) { return static_cast<double>(std::log(sigmas[i])); };
  // The last step whose sigma is not above; one must follow it.
  std::size_t low = 0;
  for (std::size_t i = 0; i < sigmas.size(); ++i)
    if (target >= log_at(i)) low = i;
  if (sigmas.size() < 2) return 0.0;
  low = std::min(low, sigmas.size() - 2);
  const double weight =
      std::clamp((log_at(low) - target) / (log_at(low) - log_at(low + 1)), 0.0, 1.0);
  return (1 - weight) * static_cast<double>(low) + weight * static_cast<double>(low + 1);
}

}  // namespace sinter::pipeline
