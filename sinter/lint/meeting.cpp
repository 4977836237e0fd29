#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sinter/lint/edits.h"
#include "sinter/lint/tensors.h"

namespace sinter::lint {
namespace {

struct Blame {
  Rule rule;
  std::string message;
};

/// How a value is called in a message.
std::string named(const Source& source, std::string_view fallback) {
  return source.what.empty() ? std::string(fallback) : source.what;
}

Blame factory_blame(const Source& source, const std::string& there) {
  if (source.ignored_default)
    return {Rule::kDefaultDeviceIgnored,
            fmt::format("{} does not follow the default device: it makes a CPU tensor that meets "
                        "tensors on {}",
                        source.what, there)};
  if (source.in_forward && source.literal_device)
    return {
        Rule::kForwardHardcodedDevice,
        fmt::format("forward() makes a tensor on a fixed device that meets tensors on {}", there)};
  if (source.in_forward)
    return {Rule::kForwardTensorWithoutDevice,
            fmt::format("{} in forward() makes a CPU tensor that meets tensors on {}",
                        named(source, "the factory"), there)};
  return {Rule::kTensorWithoutDevice, fmt::format("{} makes a CPU tensor that meets tensors on {}",
                                                  named(source, "the factory"), there)};
}

Blame module_blame(const Source& source, const std::string& there) {
  const std::shared_ptr<Module> module = source.module.lock();
  if (module && module->plain_container.known())
    return {Rule::kModulesInPlainContainer,
            fmt::format("the list or dict {} hides its modules from .to() and parameters(): they "
                        "stay on the CPU while their input is on {}",
                        module->plain_name, there)};
  return {Rule::kModuleNotMoved, fmt::format("{} is on the CPU where it is used with tensors on {}",
                                             named(source, "the module"), there)};
}

Blame blame_of(const Source& source, const Facts& other, Role role, const std::string& there) {
  switch (source.kind) {
    case SourceKind::kArray:
      if (source.ignored_default) return factory_blame(source, there);
      if (role == Role::kIndex && !source.in_forward) break;
      return {Rule::kNumpyNotMoved,
              fmt::format("{} gives a CPU tensor that meets tensors on {}", source.what, there)};
    case SourceKind::kProcessor:
      return {Rule::kInputsNotMoved,
              fmt::format("what {} returns is on the CPU and meets tensors on {}",
                          named(source, "the processor"), there)};
    case SourceKind::kLoaded:
      if (other.loaded)
        return {Rule::kMixedDeviceArithmetic,
                fmt::format("{} loads to the CPU, the other operand was loaded to {}", source.what,
                            there)};
      return {Rule::kStateDictOnCpu,
              fmt::format("{} puts the tensors on the CPU, and they meet tensors on {}",
                          source.what, there)};
    case SourceKind::kModule:
      return module_blame(source, there);
    case SourceKind::kAttribute:
      return {Rule::kPlainTensorAttribute,
              fmt::format("self.{} is neither parameter nor buffer, so .to() leaves it on the CPU; "
                          "it meets tensors on {}",
                          source.name, there)};
    case SourceKind::kForcedBuffer:
      return {Rule::kBufferForcedCpu,
              fmt::format("the buffer {} is put on the CPU while the module is on {}", source.name,
                          there)};
    case SourceKind::kReplacedData:
      return {Rule::kWeightDataReplaced,
              fmt::format("a CPU tensor replaces the data of {}, whose module is on {}",
                          source.name, there)};
    case SourceKind::kForwardMove:
      return {Rule::kForwardDeviceMove,
              fmt::format("{} inside forward() moves a tensor away from those on {}", source.what,
                          there)};
    case SourceKind::kMove:
      return {Rule::kMixedDeviceArithmetic,
              fmt::format("{} puts the tensor on the CPU, and it meets tensors on {}", source.what,
                          there)};
    case SourceKind::kFirstParameter:
      return {Rule::kDeviceOfFirstParameter,
              fmt::format("the first parameter speaks for its own part of the model only: the rest "
                          "is on {}",
                          there)};
    default:
      break;
  }
  if (role == Role::kIndex && !source.in_forward)
    return {Rule::kIndexNotMoved,
            fmt::format("the index is on the CPU, what it picks from on {}", there)};
  return factory_blame(source, there);
}

bool exempt(const Operand& operand, Meeting meeting) {
  return meeting == Meeting::kJoin && operand.role != Role::kTarget &&
         operand.facts->shape.maybe_scalar();
}

/// An operand on a device that is not the CPU, best a certain one.
const Operand* away_from_cpu(std::span<const Operand> operands) {
  const Operand* found = nullptr;
  for (const Operand& operand : operands) {
    if (operand.facts->device.is_accelerator()) return &operand;
    if (operand.facts->device.type == Device::Type::kSymbol && found == nullptr) found = &operand;
  }
  return found;
}

void merge_history(Facts& result, const Facts& operand) {
  for (const LoopTurn& turn : operand.recorded) {
    const bool known =
        std::any_of(result.recorded.begin(), result.recorded.end(), [&](const LoopTurn& other) {
          return other.loop == turn.loop && other.turn == turn.turn && other.module == turn.module;
        });
    if (!known && result.recorded.size() < 16) result.recorded.push_back(turn);
  }
  result.computed = result.computed || operand.computed;
  result.loaded = result.loaded || operand.loaded;
}

void blame_cards(Interpreter& in, const Facts& a, const Facts& b, std::string_view what,
                 const Place& use) {
  // The one away from the first card is repaired.
  const bool first = a.device.index > 0 || b.device.index <= 0;
  const Facts& wrong = first ? a : b;
  const Facts& other = first ? b : a;
  if (!wrong.source) return;
  if (wrong.source->kind == SourceKind::kFirstParameter ||
      (other.source && other.source->kind == SourceKind::kFirstParameter)) {
    const Facts& guilty = wrong.source->kind == SourceKind::kFirstParameter ? wrong : other;
    in.report(Rule::kDeviceOfFirstParameter, guilty.source->place,
              "the first parameter speaks for its own part of the model only", {}, use);
    return;
  }
  // A module may have been moved once more since.
  const std::shared_ptr<Module> module = wrong.source->module.lock();
  const Place place = module && module->source ? module->source->place : wrong.source->place;
  in.report(Rule::kMixedCudaIndex, place,
            fmt::format("{} brings a tensor on {} together with one on {}", what,
                        to_string(wrong.device), to_string(other.device)),
            {}, use);
}

/// What a CPU operand is blamed for: tensors made before a module that was never moved come first.
void check_pair(Interpreter& in, const Operand& operand, const Operand& away, Meeting meeting,
                std::string_view what, const Place& use) {
  const Facts& facts = *operand.facts;
  if (!facts.device.is_cpu() || exempt(operand, meeting)) return;
  blame(in, facts, *away.facts, operand.role, what, use);
  // One report is enough: from here on it is where it should be.
  if (!in.state.degraded) operand.facts->device = away.facts->device;
}

}  // namespace

void blame(Interpreter& in, const Facts& wrong, const Facts& other, Role role,
           std::string_view what, const Place& use) {
  if (in.state.degraded || !wrong.source || wrong.source->kind == SourceKind::kNone) return;
  const Source& source = *wrong.source;
  std::string there = to_string(other.device);
  if (other.device.type == Device::Type::kSymbol) {
    there = there.substr(there.find_last_of('.') + 1);
    if (there.starts_with("@") || there.starts_with("name:")) there = "another device";
  }
  // A module that is read by itself was never moved, and that says nothing.
  if (other.device.type == Device::Type::kSymbol && source.kind == SourceKind::kModule &&
      !other.device.name.starts_with("args."))
    return;
  Blame made = blame_of(source, other, role, there);
  const Place place = made.rule == Rule::kModulesInPlainContainer
                          ? source.module.lock()->plain_container
                          : source.place;
  made.message += fmt::format(" ({}, line {})", what, use.line);
  in.report(made.rule, place, made.message, edit_for(made.rule, in, source, other), use);
}

Facts meet(Interpreter& in, std::string_view what, std::span<const Operand> operands,
           Meeting meeting, const Place& use) {
  Facts result;
  if (operands.empty()) return result;
  for (const Operand& operand : operands) merge_history(result, *operand.facts);
  const bool only_loaded =
      std::all_of(operands.begin(), operands.end(), [](const Operand& operand) {
        return operand.facts->loaded || operand.facts->shape.surely_scalar();
      });
  if (!only_loaded)
    for (const Operand& operand : operands) in.use_load(*operand.facts);
  const Operand* away = away_from_cpu(operands);
  const bool all_scalars =
      std::all_of(operands.begin(), operands.end(),
                  [](const Operand& operand) { return operand.facts->shape.surely_scalar(); });
  const bool unknown = std::any_of(operands.begin(), operands.end(), [&](const Operand& operand) {
    return !operand.facts->device.known() && (all_scalars || !operand.facts->shape.surely_scalar());
  });
  if (away != nullptr) {
    for (const Operand& operand : operands) {
      check_pair(in, operand, *away, meeting, what, use);
      const Facts& facts = *operand.facts;
      if (facts.device.is_accelerator() && away->facts->device.is_accelerator() &&
          !in.state.degraded && relation(facts.device, away->facts->device) == Relation::kDifferent)
        blame_cards(in, *away->facts, facts, what, use);
    }
    result.device = away->facts->device;
    result.source = away->facts->source;
    return result;
  }
  if (unknown) return result;
  result.device = Device::cpu();
  for (const Operand& operand : operands) {
    const bool better =
        !result.source || (result.source->kind == SourceKind::kNone && operand.facts->source);
    if (better || (operand.facts->source && !operand.facts->shape.maybe_scalar() &&
                   operands.front().facts->shape.maybe_scalar() &&
                   result.source == operands.front().facts->source))
      result.source = operand.facts->source;
  }
  return result;
}

}  // namespace sinter::lint
