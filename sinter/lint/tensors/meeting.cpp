#include "sinter/lint/tensors/meeting.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sinter/lint/tensors/blame.h"

namespace sinter::lint {
namespace {

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
