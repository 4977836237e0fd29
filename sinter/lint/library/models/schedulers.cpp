#include <algorithm>
#include <array>

#include "sinter/lint/tensors/blame.h"
#include "sinter/lint/tensors/meeting.h"
#include "sinter/lint/values/conversions.h"

namespace sinter::lint {
namespace {

/// A table of a scheduler: timesteps, alphas_cumprod, sigmas.
Value scheduler_table(Interpreter& in, const Thing& scheduler, const std::string& name) {
  Facts facts;
  facts.device = name == "timesteps" ? scheduler.device : scheduler.tables;
  facts.type = name == "timesteps" ? DType::kI64 : DType::kF32;
  facts.shape = TensorShape::of_rank(1);
  auto source = std::make_shared<Source>();
  source->kind = SourceKind::kScheduler;
  source->place = in.current_place();
  source->what = "scheduler." + name;
  facts.source = source;
  return tensor(std::move(facts));
}

}  // namespace

Value scheduler_attribute(Interpreter& in, Thing& scheduler, const Value& self,
                          const std::string& name) {
  static constexpr std::array kTables{"timesteps", "alphas_cumprod", "sigmas",
                                      "betas",     "alphas",         "log_sigmas"};
  if (std::find(kTables.begin(), kTables.end(), name) != kTables.end())
    return scheduler_table(in, scheduler, name);
  if (name == "init_noise_sigma" || name == "final_alpha_cumprod" || name == "one") {
    Facts facts;
    facts.device = Device::cpu();
    facts.type = DType::kF32;
    facts.shape = TensorShape::scalar();
    return tensor(std::move(facts));
  }
  if (name == "config" || name == "order") return unknown();
  return std::make_shared<Bound>(self, name);
}

Value scheduler_method(Interpreter& in, Thing& scheduler, const std::string& name,
                       const Invocation& call) {
  if (name == "set_timesteps") {
    const Value device = call.get(1, "device");
    scheduler.device =
        device && !as<None>(device) ? device_of(device).value_or(Device{}) : Device::cpu();
    return none();
  }
  const bool step = name == "step" || name == "scale_model_input" || name == "add_noise" ||
                    name == "get_velocity" || name == "scale_noise";
  if (!step) return nullptr;
  std::vector<Operand> operands;
  // scale_model_input(sample, t), add_noise(sample, noise, t), step(output, t, sample)
  std::size_t position = 0;
  for (const Argument& argument : call.arguments) {
    const std::size_t at = argument.name.empty() ? position++ : Invocation::kNowhere;
    const bool timestep = argument.name == "timestep" || argument.name == "timesteps" ||
                          (name == "step" && at == 1) || (name == "scale_model_input" && at == 1) ||
                          ((name == "add_noise" || name == "get_velocity") && at == 2);
    Facts* facts = facts_of(argument.value);
    if (!timestep && facts && argument.name != "generator")
      operands.push_back({facts, Role::kPlain});
  }
  if (operands.empty()) return nullptr;
  Facts facts = meet(in, "scheduler." + name + "()", operands, Meeting::kJoin, call.place);
  facts.type = operands.back().facts->type;
  facts.shape = operands.back().facts->shape;
  facts.type_source = operands.back().facts->type_source;
  if (!in.gradients_on()) facts.recorded.clear();
  // These take the tables along to the sample.
  if (name == "add_noise" || name == "get_velocity") scheduler.tables = facts.device;
  if (name != "step") return tensor(std::move(facts));
  return std::make_shared<Bundle>(Bundle::Use::kOutput, std::move(facts));
}

}  // namespace sinter::lint
