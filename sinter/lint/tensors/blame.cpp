#include "sinter/lint/tensors/blame.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinter/lint/tensors/repairs.h"
#include "sinter/lint/values/element_types.h"

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
      if (other.loaded && (!other.source || other.source->kind == SourceKind::kLoaded))
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
  Edit edit = made.rule == Rule::kModulesInPlainContainer ? container_edit(in.script(), place)
                                                          : edit_for(made.rule, in, source, other);
  in.report(made.rule, place, made.message, std::move(edit), use);
}

void check_types(Interpreter& in, const Facts& input, std::optional<DType> weights,
                 std::string_view what, const Place& use) {
  if (in.state.degraded || !in.state.autocast.empty()) return;
  const bool two_bytes = weights == DType::kF16 || weights == DType::kBF16;
  const bool wide = !input.type && input.wide && two_bytes;
  if (!wide && (!is_floating(input.type) || !is_floating(weights) || *input.type == *weights))
    return;
  const SourcePtr& source = input.type_source ? input.type_source : input.source;
  if (!source || source->kind == SourceKind::kNone) return;
  in.report(Rule::kInputDtypeMismatch, source->place,
            fmt::format("{} gets {} but its weights are {} (line {})", what,
                        input.type ? dtype_info(*input.type).word : "numpy's float64 or float32",
                        dtype_info(*weights).word, use.line),
            dtype_edit(in, *source, *weights), use);
}

void check_generator(Interpreter& in, const Device& filled, const Invocation& call) {
  const auto* generator = as<Thing>(call.named("generator"));
  if (generator == nullptr || generator->what != Thing::What::kGenerator || in.state.degraded)
    return;
  if (relation(generator->device, filled) != Relation::kDifferent) return;
  in.report(Rule::kGeneratorDeviceMismatch, call.place,
            fmt::format("a generator of {} fills a tensor on {}", to_string(generator->device),
                        to_string(filled)));
}

}  // namespace sinter::lint
