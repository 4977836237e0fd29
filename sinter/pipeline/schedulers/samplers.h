#pragma once

#include <memory>

#include "sinter/pipeline/scheduler.h"

/// The makers behind the table of samplers; steps is already within the training's.
namespace sinter::pipeline {

/// Source: Song et al. 2021 (arXiv 2010.02502), eq. 12 with sigma 0.
std::unique_ptr<Scheduler> make_ddim(const SchedulerConfig& config, int steps);

/// Source: Karras et al. 2022 (arXiv 2206.00364), algorithm 1 without the correction step.
std::unique_ptr<Scheduler> make_euler(const SchedulerConfig& config, int steps);

/// The Euler step to a smaller sigma, then fresh noise up to the next one.
/// Source: k-diffusion (Crowson 2022), after Song et al. 2021 (arXiv 2011.13456), ancestral
/// sampling.
std::unique_ptr<Scheduler> make_euler_ancestral(const SchedulerConfig& config, int steps);

/// Source: Lu et al. 2022 (arXiv 2211.01095), algorithm 2; first order where it must start and end.
std::unique_ptr<Scheduler> make_dpmpp_2m(const SchedulerConfig& config, int steps);

/// Source: Luo et al. 2023 (arXiv 2310.04378), algorithm 3.
std::unique_ptr<Scheduler> make_lcm(const SchedulerConfig& config, int steps);

}  // namespace sinter::pipeline
