#include "sinter/pipeline/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "sinter/base/error.h"
#include "sinter/pipeline/schedulers/samplers.h"

namespace sinter::pipeline {
namespace {

constexpr std::array kSamplers{
    Sampler{"ddim", "DDIMScheduler", false, "DDIM", "", make_ddim},
    Sampler{"euler", "EulerDiscreteScheduler", false, "Euler", "", make_euler},
    Sampler{"euler-karras", "EulerDiscreteScheduler", true, "Euler", "Karras", make_euler},
    Sampler{"euler-a", "EulerAncestralDiscreteScheduler", false, "Euler a", "",
            make_euler_ancestral},
    Sampler{"dpmpp-2m", "DPMSolverMultistepScheduler", false, "DPM++ 2M", "", make_dpmpp_2m},
    Sampler{"dpmpp-2m-karras", "DPMSolverMultistepScheduler", true, "DPM++ 2M", "Karras",
            make_dpmpp_2m},
    Sampler{"lcm", "LCMScheduler", false, "LCM", "", make_lcm},
};

// Schedulers that sinter does not have and that solve the same equation: the nearest class that it
// has. A class that is not here wants other sigmas or another model.
struct StandIn {
  std::string_view class_name;
  std::string_view ours;
};
constexpr std::array kStandIns{
    StandIn{"PNDMScheduler", "DDIMScheduler"},
    StandIn{"DDPMScheduler", "DDIMScheduler"},
    StandIn{"LMSDiscreteScheduler", "EulerDiscreteScheduler"},
    StandIn{"HeunDiscreteScheduler", "EulerDiscreteScheduler"},
    StandIn{"KDPM2DiscreteScheduler", "EulerDiscreteScheduler"},
    StandIn{"KDPM2AncestralDiscreteScheduler", "EulerAncestralDiscreteScheduler"},
    StandIn{"DPMSolverSDEScheduler", "EulerAncestralDiscreteScheduler"},
    StandIn{"DPMSolverSinglestepScheduler", "DPMSolverMultistepScheduler"},
    StandIn{"DEISMultistepScheduler", "DPMSolverMultistepScheduler"},
    StandIn{"UniPCMultistepScheduler", "DPMSolverMultistepScheduler"},
};

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j + 1] + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

Tensor Scheduler::scale_input(const Tensor& sample, std::size_t /*step*/) const { return sample; }

std::span<const Sampler> samplers() { return kSamplers; }

const Sampler& sampler_from_name(std::string_view name) {
  const auto found = std::ranges::find(kSamplers, name, &Sampler::name);
  if (found != kSamplers.end()) return *found;
  std::string names;
  for (const Sampler& each : kSamplers)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", each.name);
  const auto nearest = std::ranges::min_element(
      kSamplers, {}, [&](const Sampler& each) { return edit_distance(each.name, name); });
  throw Error(ErrorCode::kUsage,
              fmt::format("there is no sampler '{}'; the samplers are {}", name, names),
              fmt::format("did you mean '{}'?", nearest->name));
}

const Sampler& sampler_of(const SchedulerConfig& config) {
  const auto stand_in = std::ranges::find(kStandIns, config.class_name, &StandIn::class_name);
  const std::string_view name =
      stand_in == kStandIns.end() ? std::string_view(config.class_name) : stand_in->ours;
  // Not every class has Karras sigmas.
  for (const bool karras : {config.karras_sigmas, false})
    for (const Sampler& each : kSamplers)
      if (each.class_name == name && each.karras == karras) return each;
  throw Error(
      ErrorCode::kUnsupported,
      fmt::format("the scheduler is a '{}', which is not one of this release", config.class_name),
      "name one of the samplers instead: ddim, euler, dpmpp-2m, ...");
}

SchedulerConfig config_for(const Sampler& sampler, const SchedulerConfig& config) {
  SchedulerConfig result = config;
  if (config.class_name == sampler.class_name) {
    require_own_settings(config);
  } else {
    result = default_scheduler_config(sampler.class_name);
    result.train_timesteps = config.train_timesteps;
    result.beta_start = config.beta_start;
    result.beta_end = config.beta_end;
    result.beta_schedule = config.beta_schedule;
    result.trained_betas = config.trained_betas;
    result.prediction = config.prediction;
    result.steps_offset = config.steps_offset;
    result.zero_terminal_snr = config.zero_terminal_snr;
    // Latents are not pictures: clamping them, the class's default, is for pixel models.
    result.clip_sample = false;
    result.last_alpha_is_one = sampler.class_name == "LCMScheduler";
    if (config.spacing == TimestepSpacing::kTrailing) result.spacing = config.spacing;
  }
  result.karras_sigmas = sampler.karras;
  return result;
}

std::unique_ptr<Scheduler> make_scheduler(const SchedulerConfig& config, int steps) {
  const Sampler& sampler = sampler_of(config);
  if (steps < 1 || steps > config.train_timesteps) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{} steps, expected 1 to {}, the steps of the training", steps,
                            config.train_timesteps));
  }
  return sampler.make(config, steps);
}

}  // namespace sinter::pipeline
