#pragma once

#include <span>
#include <vector>

#include "sinter/pipeline/scheduler_config.h"

namespace sinter::pipeline {

/// The share of signal that is left after each training step (the product of 1 - beta), float32
/// rounded as PyTorch rounds it. With `keep_above_zero`, a share of zero at the end (zero terminal
/// SNR) becomes the smallest positive half, so that sigmas stay finite.
/// Source: Ho et al. 2020 (arXiv 2006.11239), eq. 4; Lin et al. 2023 (arXiv 2305.08891),
/// algorithm 1.
std::vector<float> alphas_cumprod(const SchedulerConfig& config, bool keep_above_zero);

/// Noise deviation over signal of each training step, rising: sqrt((1 - a) / a).
std::vector<float> training_sigmas(std::span<const float> alphas);

/// `count` timesteps, falling. kLinspace gives fractions, the others whole numbers with the offset
/// (kLeading) already added.
std::vector<double> spaced_timesteps(const SchedulerConfig& config, int count);

/// The value at a fractional index, linear between neighbours, constant beyond the ends.
double interpolate(std::span<const float> values, double index);

/// Sigmas from `maximum` down to `minimum`, `count` of them.
/// Source: Karras et al. 2022 (arXiv 2206.00364), eq. 5 with rho 7.
std::vector<double> karras_sigmas(double minimum, double maximum, int count);

/// The fractional training step with that sigma: linear in its logarithm.
double timestep_of_sigma(std::span<const float> sigmas, double sigma);

/// numpy.linspace(0, last, count).
std::vector<double> linspace(double last, int count);

}  // namespace sinter::pipeline
