#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/base/tensor.h"
#include "sinter/pipeline/scheduler_config.h"

namespace sinter::pipeline {

/// Walks one batch of latents from noise to picture. Made for a number of steps and used once, the
/// steps in order. One caller at a time.
class Scheduler {
 public:
  /// Gives standard normal numbers of the shape; asked at most once a step.
  using Noise = std::function<Tensor(const Shape&)>;

  virtual ~Scheduler() = default;

  /// What the UNet is told at each step, falling; training steps, fractional for some samplers.
  std::span<const float> timesteps() const { return timesteps_; }

  /// Noise deviations, one more than timesteps; empty where the sampler has none.
  std::span<const float> sigmas() const { return sigmas_; }

  /// What standard normal noise is multiplied by to start.
  float initial_sigma() const { return initial_sigma_; }

  /// The latent as the UNet wants it at that step: [N,4,h,w] -> the same shape.
  virtual Tensor scale_input(const Tensor& sample, std::size_t step) const;

  /// The latent after step `step`. sample and output (what the UNet said): [N,4,h,w] float32.
  /// @throws Error{kShapeMismatch} when the two shapes differ.
  virtual Tensor step(std::size_t step, const Tensor& sample, const Tensor& output,
                      const Noise& noise) = 0;

 protected:
  Scheduler() = default;

  std::vector<float> timesteps_;
  std::vector<float> sigmas_;
  float initial_sigma_ = 1.0f;
};

/// A sampler as the user names it.
struct Sampler {
  std::string_view name;           // "dpmpp-2m-karras"
  std::string_view class_name;     // diffusers' scheduler class
  bool karras;                     // with Karras sigmas
  std::string_view title;          // as AUTOMATIC1111 writes it: "DPM++ 2M"
  std::string_view schedule_type;  // likewise: "Karras"; empty: its default
  std::unique_ptr<Scheduler> (*make)(const SchedulerConfig& config, int steps);
};

/// Every sampler, in the order that they are listed to the user.
std::span<const Sampler> samplers();

/// @throws Error{kUsage} with all names, and the nearest as hint, when there is none of that name.
const Sampler& sampler_from_name(std::string_view name);

/// The sampler that a configuration means. Some classes that sinter does not have (PNDM, UniPC,
/// ...) are stood in for by the nearest one that solves the same equation.
/// @throws Error{kUnsupported} for any other class.
const Sampler& sampler_of(const SchedulerConfig& config);

/// The configuration for a sampler: the model's (betas, prediction, offset) from `config`; what
/// belongs to the class from `config` too when it is of that class, else the class's defaults
/// (trailing timesteps stay: the model needs them).
SchedulerConfig config_for(const Sampler& sampler, const SchedulerConfig& config);

/// @throws Error{kUsage} for a number of steps that the sampler cannot take; Error{kUnsupported}
/// when
///         sinter does not have the class.
std::unique_ptr<Scheduler> make_scheduler(const SchedulerConfig& config, int steps);

}  // namespace sinter::pipeline
