#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/arch/model.h"

namespace sinter::pipeline {

/// How the noise of the training steps grows.
enum class BetaSchedule { kLinear, kScaledLinear, kSquaredCosine };

/// Which training steps are visited.
/// Source: Lin et al. 2023 (arXiv 2305.08891), table 2.
enum class TimestepSpacing { kLeading, kLinspace, kTrailing };

/// scheduler_config.json of a diffusers folder, as far as the samplers here read it. Timesteps
/// count training steps; sigmas are noise deviations in latent units.
struct SchedulerConfig {
  std::string class_name;  // as diffusers names it: "DDIMScheduler"
  int train_timesteps = 1000;
  double beta_start = 0.0001;
  double beta_end = 0.02;
  BetaSchedule beta_schedule = BetaSchedule::kLinear;
  std::vector<double> trained_betas;  // instead of a schedule; empty: there are none
  arch::Prediction prediction = arch::Prediction::kEpsilon;
  TimestepSpacing spacing = TimestepSpacing::kLinspace;
  int steps_offset = 0;
  bool zero_terminal_snr = false;  // rescale the betas so that the last training step is pure noise
  bool clip_sample = false;        // clamp the predicted picture's latent ...
  double clip_range = 1.0;         // ... to plus and minus this
  bool last_alpha_is_one = true;   // the step behind training step 0 has no noise at all
  bool karras_sigmas = false;
  std::optional<double> sigma_min;  // ends of the Karras sigmas; empty: those of the schedule
  std::optional<double> sigma_max;
  bool final_sigma_zero = true;  // else the smallest sigma of the training
  int solver_order = 2;
  bool lower_order_final = true;
  bool euler_at_final = false;
  int original_steps = 50;  // of the distillation (latent consistency)
  double timestep_scaling = 10.0;
  std::string refusal;  // a setting of the class that no sampler here has; empty: there is none

  friend bool operator==(const SchedulerConfig&, const SchedulerConfig&) = default;
};

/// What the class of that name takes for the keys that a configuration leaves out; for an unknown
/// class, what most take.
SchedulerConfig default_scheduler_config(std::string_view class_name);

/// Reads the JSON text of a scheduler_config.json. Keys that change nothing here are passed over; a
/// class that sinter does not have is read all the same, so that its betas can serve another. A
/// setting of the class alone that no sampler here has becomes the `refusal`: another class may be
/// asked for.
/// @throws Error{kBadFile} for damaged JSON or values; Error{kUnsupported} for a setting that every
///         class has and that would change the numbers, naming the key, expected and found.
SchedulerConfig read_scheduler_config(std::string_view json);

/// For whoever draws with the class that the configuration names.
/// @throws Error{kUnsupported} with the `refusal`.
void require_own_settings(const SchedulerConfig& config);

/// The JSON text with the keys that the class has, in a fixed order.
std::string write_scheduler_config(const SchedulerConfig& config);

}  // namespace sinter::pipeline
