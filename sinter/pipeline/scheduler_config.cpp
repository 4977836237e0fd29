#include "sinter/pipeline/scheduler_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <type_traits>
#include <utility>

#include "sinter/arch/python_json.h"
#include "sinter/base/error.h"

namespace sinter::pipeline {
namespace {

using Json = nlohmann::ordered_json;

// Classes as bits: which of them have a key.
enum : unsigned { kDdim = 1, kEuler = 2, kEulerA = 4, kDpm = 8, kLcm = 16, kAll = 31 };

struct ClassRow {
  std::string_view name;
  unsigned bit;
  TimestepSpacing spacing;
  bool clip_sample;
  double beta_start;
  double beta_end;
  BetaSchedule beta_schedule;
};

// Source: the constructors' defaults in diffusers 0.42.
constexpr std::array kClasses{
    ClassRow{"DDIMScheduler", kDdim, TimestepSpacing::kLeading, true, 0.0001, 0.02,
             BetaSchedule::kLinear},
    ClassRow{"EulerDiscreteScheduler", kEuler, TimestepSpacing::kLinspace, false, 0.0001, 0.02,
             BetaSchedule::kLinear},
    ClassRow{"EulerAncestralDiscreteScheduler", kEulerA, TimestepSpacing::kLinspace, false, 0.0001,
             0.02, BetaSchedule::kLinear},
    ClassRow{"DPMSolverMultistepScheduler", kDpm, TimestepSpacing::kLinspace, false, 0.0001, 0.02,
             BetaSchedule::kLinear},
    ClassRow{"LCMScheduler", kLcm, TimestepSpacing::kLeading, false, 0.00085, 0.012,
             BetaSchedule::kScaledLinear},
};

constexpr std::array<std::pair<std::string_view, BetaSchedule>, 3> kBetaSchedules{
    {{"linear", BetaSchedule::kLinear},
     {"scaled_linear", BetaSchedule::kScaledLinear},
     {"squaredcos_cap_v2", BetaSchedule::kSquaredCosine}}};
constexpr std::array<std::pair<std::string_view, TimestepSpacing>, 3> kSpacings{
    {{"leading", TimestepSpacing::kLeading},
     {"linspace", TimestepSpacing::kLinspace},
     {"trailing", TimestepSpacing::kTrailing}}};
constexpr std::array<std::pair<std::string_view, bool>, 2> kFinalSigmas{
    {{"zero", true}, {"sigma_min", false}}};

std::string refusal(std::string_view key, std::string_view expected, const Json& found) {
  return fmt::format("the scheduler's '{}' is {}, expected {}", key, found.dump(), expected);
}

[[noreturn]] void refuse(std::string_view key, std::string_view expected, const Json& found) {
  throw Error(ErrorCode::kUnsupported, refusal(key, expected, found));
}

template <typename T>
void get(std::string_view key, const Json& value, T& member) {
  constexpr bool kIsBool = std::is_same_v<T, bool>;
  constexpr bool kIsInt = std::is_same_v<T, int>;
  const bool fits =
      kIsBool ? value.is_boolean() : (kIsInt ? value.is_number_integer() : value.is_number());
  if (!fits) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("the scheduler's '{}' is {}, expected {}", key, value.dump(),
                            kIsBool ? "true or false" : (kIsInt ? "an integer" : "a number")));
  }
  member = value.get<T>();
}

void get(std::string_view key, const Json& value, std::optional<double>& member) {
  if (!value.is_null()) get(key, value, member.emplace());
}

void get(std::string_view key, const Json& value, std::vector<double>& member) {
  if (value.is_null()) return;
  if (!value.is_array()) refuse(key, "null or an array of numbers", value);
  member.clear();
  for (const Json& beta : value) get(key, beta, member.emplace_back());
}

template <typename T, std::size_t N>
void get_named(std::string_view key, const Json& value, T& member,
               const std::array<std::pair<std::string_view, T>, N>& names) {
  std::string expected;
  for (const auto& [name, meaning] : names) {
    if (value.is_string() && value.get_ref<const std::string&>() == name) {
      member = meaning;
      return;
    }
    expected += fmt::format("{}\"{}\"", expected.empty() ? "" : " or ", name);
  }
  refuse(key, expected, value);
}

void get(std::string_view key, const Json& value, BetaSchedule& member) {
  get_named(key, value, member, kBetaSchedules);
}

void get(std::string_view key, const Json& value, TimestepSpacing& member) {
  get_named(key, value, member, kSpacings);
}

void get(std::string_view key, const Json& value, arch::Prediction& member) {
  const auto prediction = value.is_string()
                              ? arch::prediction_from_name(value.get_ref<const std::string&>())
                              : std::nullopt;
  if (!prediction) refuse(key, "\"epsilon\" or \"v_prediction\"", value);
  member = *prediction;
}

template <typename T, std::size_t N>
Json put_named(T member, const std::array<std::pair<std::string_view, T>, N>& names) {
  for (const auto& [name, meaning] : names)
    if (meaning == member) return name;
  return nullptr;
}

template <typename T>
Json put(const T& member) {
  return member;
}
Json put(const std::optional<double>& member) { return member ? Json(*member) : Json(nullptr); }
Json put(const std::vector<double>& member) {
  return member.empty() ? Json(nullptr) : Json(member);
}
Json put(BetaSchedule member) { return put_named(member, kBetaSchedules); }
Json put(TimestepSpacing member) { return put_named(member, kSpacings); }
Json put(arch::Prediction member) { return arch::prediction_name(member); }

struct Key {
  std::string_view name;
  unsigned classes;
  void (*read)(std::string_view key, const Json& value, SchedulerConfig& config);
  Json (*write)(const SchedulerConfig& config);
};

template <auto Member>
constexpr Key key(std::string_view name, unsigned classes) {
  return {name, classes,
          [](std::string_view text, const Json& value, SchedulerConfig& config) {
            get(text, value, config.*Member);
          },
          [](const SchedulerConfig& config) { return put(config.*Member); }};
}

using C = SchedulerConfig;
constexpr std::array kKeys{
    key<&C::train_timesteps>("num_train_timesteps", kAll),
    key<&C::beta_start>("beta_start", kAll),
    key<&C::beta_end>("beta_end", kAll),
    key<&C::beta_schedule>("beta_schedule", kAll),
    key<&C::trained_betas>("trained_betas", kAll),
    key<&C::prediction>("prediction_type", kAll),
    key<&C::spacing>("timestep_spacing", kAll),
    key<&C::steps_offset>("steps_offset", kAll),
    key<&C::zero_terminal_snr>("rescale_betas_zero_snr", kAll),
    key<&C::clip_sample>("clip_sample", kDdim | kLcm),
    key<&C::clip_range>("clip_sample_range", kDdim | kLcm),
    key<&C::last_alpha_is_one>("set_alpha_to_one", kDdim | kLcm),
    key<&C::karras_sigmas>("use_karras_sigmas", kEuler | kDpm),
    key<&C::sigma_min>("sigma_min", kEuler),
    key<&C::sigma_max>("sigma_max", kEuler),
    Key{"final_sigmas_type", kEuler | kDpm,
        [](std::string_view text, const Json& value, SchedulerConfig& config) {
          get_named(text, value, config.final_sigma_zero, kFinalSigmas);
        },
        [](const SchedulerConfig& config) {
          return put_named(config.final_sigma_zero, kFinalSigmas);
        }},
    key<&C::solver_order>("solver_order", kDpm),
    key<&C::lower_order_final>("lower_order_final", kDpm),
    key<&C::euler_at_final>("euler_at_final", kDpm),
    key<&C::original_steps>("original_inference_steps", kLcm),
    key<&C::timestep_scaling>("timestep_scaling", kLcm),
};

// Settings that would change the numbers: the one value that means "not used".
struct Fixed {
  std::string_view name;
  unsigned classes;
  std::string_view json;
};
constexpr std::array kFixed{
    Fixed{"thresholding", kDdim | kDpm | kLcm, "false"},
    Fixed{"use_exponential_sigmas", kEuler | kDpm, "false"},
    Fixed{"use_beta_sigmas", kEuler | kDpm, "false"},
    Fixed{"use_lu_lambdas", kDpm, "false"},
    Fixed{"use_flow_sigmas", kDpm, "false"},
    Fixed{"interpolation_type", kEuler, "\"linear\""},
    Fixed{"timestep_type", kEuler, "\"discrete\""},
    Fixed{"algorithm_type", kDpm, "\"dpmsolver++\""},
    Fixed{"solver_type", kDpm, "\"midpoint\""},
    Fixed{"lambda_min_clipped", kDpm, "null"},
    Fixed{"variance_type", kDpm, "null"},
};

const ClassRow* find_class(std::string_view name) {
  const auto found = std::ranges::find(kClasses, name, &ClassRow::name);
  return found == kClasses.end() ? nullptr : &*found;
}

void check_ranges(const SchedulerConfig& config) {
  if (config.train_timesteps < 1 || config.train_timesteps > 1'000'000) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("the scheduler's 'num_train_timesteps' is {}, expected 1 to 1000000",
                            config.train_timesteps));
  }
  if (!config.trained_betas.empty() &&
      config.trained_betas.size() != static_cast<std::size_t>(config.train_timesteps)) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("the scheduler's 'trained_betas' has {} values, expected {}",
                            config.trained_betas.size(), config.train_timesteps));
  }
}

}  // namespace

SchedulerConfig default_scheduler_config(std::string_view class_name) {
  SchedulerConfig config;
  config.class_name = class_name;
  if (const ClassRow* row = find_class(class_name)) {
    config.spacing = row->spacing;
    config.clip_sample = row->clip_sample;
    config.beta_start = row->beta_start;
    config.beta_end = row->beta_end;
    config.beta_schedule = row->beta_schedule;
  }
  return config;
}

SchedulerConfig read_scheduler_config(std::string_view json) {
  Json root;
  try {
    root = Json::parse(arch::without_bare_infinities(json));
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("the scheduler's configuration is damaged JSON: {}", error.what()));
  }
  if (!root.is_object()) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("the scheduler's configuration is a JSON {}, expected an object",
                            root.type_name()));
  }
  const auto name = root.find("_class_name");
  const bool named = name != root.end() && name->is_string();
  SchedulerConfig config =
      default_scheduler_config(named ? name->get_ref<const std::string&>() : std::string());
  const ClassRow* row = find_class(config.class_name);
  const unsigned bit = row == nullptr ? unsigned{kAll} : row->bit;
  for (const Key& each : kKeys) {
    const auto found = root.find(each.name);
    if (found != root.end() && (each.classes & bit) != 0) each.read(each.name, *found, config);
  }
  for (const Fixed& each : kFixed) {
    const auto found = root.find(each.name);
    if (found == root.end() || row == nullptr || (each.classes & bit) == 0) continue;
    if (!found->is_null() && *found != Json::parse(each.json))
      config.refusal = refusal(each.name, each.json, *found);
  }
  if (row != nullptr && (bit & kDpm) != 0 && (config.solver_order < 1 || config.solver_order > 2))
    config.refusal = refusal("solver_order", "1 or 2", config.solver_order);
  check_ranges(config);
  return config;
}

void require_own_settings(const SchedulerConfig& config) {
  if (config.refusal.empty()) return;
  throw Error(ErrorCode::kUnsupported, config.refusal,
              "--sampler draws with another of the same betas: ddim, euler, euler-a, lcm, ...");
}

std::string write_scheduler_config(const SchedulerConfig& config) {
  Json root{{"_class_name", config.class_name}};
  const ClassRow* row = find_class(config.class_name);
  const unsigned bit = row == nullptr ? unsigned{kAll} : row->bit;
  for (const Key& each : kKeys)
    if ((each.classes & bit) != 0) root[std::string(each.name)] = each.write(config);
  return root.dump(2) + "\n";
}

}  // namespace sinter::pipeline
