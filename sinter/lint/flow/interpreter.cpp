#include "sinter/lint/flow/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sinter/lint/values/conversions.h"

namespace sinter::lint {
namespace {

/// Whether what a rule asks for may be done by whoever calls the function.
bool depends_on_callers(Rule rule) {
  switch (rule) {
    case Rule::kExportGradEnabled:
    case Rule::kExportNotEval:
    case Rule::kHalfOnCpu:
    case Rule::kOrtProviderUnchecked:
    case Rule::kInputDtypeMismatch:
      return true;
    default:
      return false;
  }
}

/// Objects that hold one another would stay for ever.
void take_apart(const Value& value) {
  if (auto* module = as<Module>(value)) {
    module->members = {};
  } else if (auto* instance = as<Instance>(value)) {
    instance->attributes = {};
  } else if (auto* thing = as<Thing>(value)) {
    thing->attributes = {};
  } else if (auto* open = as<Unknown>(value)) {
    open->attributes = {};
  } else if (auto* sequence = as<Sequence>(value)) {
    sequence->items.clear();
  } else if (auto* dict = as<Dict>(value)) {
    dict->entries = {};
    dict->others.clear();
  } else if (auto* type = as<Class>(value)) {
    type->members = {};
  }
}

}  // namespace

Interpreter::Interpreter(const Script& script, const Libraries& libraries, Decisions& decisions,
                         Findings& findings, long& steps)
    : script_(script),
      libraries_(libraries),
      decisions_(decisions),
      findings_(findings),
      steps_(steps) {
  module_scope_ = std::make_shared<Scope>();
  auto top = std::make_shared<Frame>();
  top->scope = module_scope_;
  frames_.push_back(std::move(top));
}

Interpreter::~Interpreter() {
  for (auto& [address, holder] : holders_) take_apart(holder);
  for (const auto& scope : captured_) scope->names.clear();
  module_scope_->names.clear();
}

void Interpreter::may_hold_itself(const Value& holder) {
  if (holder) holders_.emplace(holder.get(), holder);
}

void Interpreter::run_script() {
  try {
    run(script_.body);
  } catch (const Raised&) {
  } catch (const Exit&) {
  } catch (const LeaveGenerator&) {
  }
  frames_.resize(1);
}

bool Interpreter::decide(const std::string& key, bool usual) {
  ++guesses_;
  return decisions_.decide(key, usual);
}

std::string Interpreter::key_at(const Place& place) const {
  return fmt::format("@{}:{}", place.begin, frame().called.begin);
}

Value Interpreter::unknown_at(const Place& place) {
  return unknown(place.known() ? key_at(place) : "");
}

std::optional<bool> Interpreter::truth(const Value& value) {
  if (const auto* found = as<Number>(value))
    return found->value ? std::optional(*found->value != 0) : std::nullopt;
  if (const auto* found = as<Text>(value)) {
    if (found->exact()) return !found->text.empty();
    return found->text.size() > 1 ? std::optional(true) : std::nullopt;
  }
  if (as<None>(value)) return false;
  if (const auto* found = as<Sequence>(value)) {
    if (!found->items.empty()) return true;
    return found->open ? std::nullopt : std::optional(false);
  }
  if (auto* found = as<Dict>(value)) {
    if (!found->entries.empty() || !found->others.empty()) return true;
    return false;
  }
  if (as<Unknown>(value) || facts_of(value) || as<Array>(value)) return std::nullopt;
  if (const auto* found = as<Thing>(value); found && found->what == Thing::What::kOther)
    return std::nullopt;
  return true;
}

Device Interpreter::default_device() const {
  return state.default_devices.empty() ? Device::cpu() : state.default_devices.back();
}

void Interpreter::report(Rule rule, const Place& place, std::string message, Edit edit,
                         const Place& use) {
  if (state.alone && depends_on_callers(rule)) return;
  findings_.add({.rule = rule,
                 .place = place,
                 .use = use.line == place.line ? Place{} : use,
                 .message = std::move(message),
                 .edit = std::move(edit)});
}

std::string Interpreter::source_text(const Expr& expr) const {
  return script_.text.substr(expr.place.begin, expr.place.end - expr.place.begin);
}

std::string Interpreter::device_hint() const {
  const auto device_in = [](const Scope& scope) -> std::string {
    for (const char* usual : {"device", "DEVICE", "dev"}) {
      const auto found = scope.names.find(usual);
      if (found == scope.names.end()) continue;
      const auto device = device_of(found->second);
      if (!device || !device->is_cpu()) return usual;
    }
    for (const auto& [name, value] : scope.names) {
      const auto* found = as<DeviceValue>(value);
      if (found && found->device.is_accelerator()) return name;
    }
    return {};
  };
  const Frame& here = frame();
  if (here.in_forward) {
    // In forward() the input knows the device.
    for (const Parameter& parameter : here.definition->parameters) {
      const auto found = here.scope->names.find(parameter.name);
      if (found != here.scope->names.end() && facts_of(found->second))
        return parameter.name + ".device";
    }
    return {};
  }
  for (const Scope* scope = here.scope.get(); scope != nullptr; scope = scope->parent.get()) {
    std::string name = device_in(*scope);
    if (!name.empty()) return name;
  }
  return {};
}

}  // namespace sinter::lint
