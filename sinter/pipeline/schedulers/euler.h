#pragma once

#include "sinter/pipeline/scheduler.h"

namespace sinter::pipeline {

/// What Euler and its ancestral form share: sigmas at (fractional) timesteps, the scaled input, and
/// the slope of the denoising ODE.
class EulerBase : public Scheduler {
 public:
  EulerBase(const SchedulerConfig& config, int steps);

  Tensor scale_input(const Tensor& sample, std::size_t step) const override;

 protected:
  /// The sample moved along the ODE from sigma to `to`.
  Tensor moved(const Tensor& sample, const Tensor& output, float sigma, float to) const;

 private:
  arch::Prediction prediction_;
};

}  // namespace sinter::pipeline
