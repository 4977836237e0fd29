#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sinter/lint/interpreter.h"
#include "sinter/lint/library.h"
#include "sinter/lint/objects.h"
#include "sinter/lint/tensors.h"

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

constexpr int kDeepestIteration = 300;
constexpr std::size_t kMostItems = 24;  // of a known sequence that are looked at one by one

}  // namespace

Interpreter::Interpreter(const Script& script, Decisions& decisions, Findings& findings,
                         long& steps)
    : script_(script), decisions_(decisions), findings_(findings), steps_(steps) {
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

std::string Interpreter::key_at(const Place& place) const {
  return fmt::format("@{}:{}", place.begin, frame().called.begin);
}

Value Interpreter::unknown_at(const Place& place) {
  return unknown(place.known() ? key_at(place) : "");
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

bool Interpreter::iterate(const Value& value, const std::function<void(Value)>& body) {
  if (auto* sequence = as<Sequence>(value)) {
    const std::vector<Value> snapshot = sequence->items;
    std::size_t given = 0;
    for (const Value& item : snapshot) {
      if (given++ == kMostItems) break;
      body(mark_attribute(*sequence, item));
    }
    return !sequence->open && snapshot.size() <= kMostItems;
  }
  if (auto* dict = as<Dict>(value)) {
    const auto snapshot = dict->entries.all();
    std::size_t given = 0;
    for (const auto& [name, item] : snapshot)
      if (given++ < kMostItems) body(text(name));
    for (std::size_t i = 0; i < std::min<std::size_t>(2, dict->others.size()); ++i)
      body(text("\x01"));
    return dict->others.empty() && snapshot.size() <= kMostItems;
  }
  if (const auto* pending = as<Generator>(value)) {
    // Generators of generators take stack.
    if (nesting_ > kDeepestIteration) return false;
    nesting_ += 20;
    struct Leave {
      int& nesting;
      ~Leave() { nesting -= 20; }
    } leave{nesting_};
    if (pending->comprehension != nullptr) return run_generator_expression(*pending, body);
    if (pending->mapped)
      return iterate(pending->mapped, [&](const Value& item) {
        body(call(pending->function, {item}, pending->place));
      });
    const auto* function = as<Function>(pending->function);
    if (function == nullptr) return false;
    const std::size_t depth = frames_.size();
    const std::function<void(Value)> outside = [&](const Value& item) {
      // What takes the item is not inside the generator.
      const std::vector<std::shared_ptr<Frame>> inside(
          frames_.begin() + static_cast<std::ptrdiff_t>(depth), frames_.end());
      frames_.resize(depth);
      body(item);
      frames_.insert(frames_.end(), inside.begin(), inside.end());
    };
    auto inner = std::make_shared<Frame>();
    inner->scope = std::make_shared<Scope>();
    inner->scope->parent = function->scope;
    inner->definition = function->definition;
    inner->owner = function->owner;
    inner->yield = &outside;
    Invocation invocation;
    invocation.arguments = pending->arguments;
    bind(*function, invocation, nullptr, *inner);
    if (frames_.size() < 40) run_frame(*function, inner);
    return false;
  }
  if (auto* module = as<Module>(value); module && !module->opaque) {
    for (const auto& [name, member] : module_items(*module)) body(member);
    return true;
  }
  if (const auto* word = as<Text>(value)) {
    body(text("\x01"));
    (void)word;
    return false;
  }
  const Value item = item_of(*this, value);
  body(item);
  body(item);
  return false;
}

std::vector<Value> Interpreter::items(const Value& value) {
  std::vector<Value> all;
  iterate(value, [&](Value item) { all.push_back(std::move(item)); });
  return all;
}

void Interpreter::use_load(const Facts& facts) {
  if (cuda_loads.empty() || !facts.source) return;
  if (const auto found = cuda_loads.find(facts.source->place.begin); found != cuda_loads.end())
    found->second.used = true;
}

void Interpreter::finish() {
  if (!state.gradients_used && !state.alone) {
    for (Finding& finding : loop_findings) findings_.add(std::move(finding));
    for (const auto& container : kept) {
      const auto* sequence = container->kind == Kind::kSequence
                                 ? static_cast<const Sequence*>(container.get())
                                 : nullptr;
      if (sequence != nullptr && sequence->joined) continue;
      findings_.add(kept_findings[container.get()]);
    }
  }
  for (auto& [place, load] : cuda_loads)
    if (!load.used && !state.alone) findings_.add(std::move(load.finding));
  for (const auto& session : sessions)
    if (!session->flag)
      report(Rule::kOrtProviderUnchecked, session->place,
             "a session that asks for a GPU provider runs on the CPU without an error when that "
             "provider cannot be loaded, and get_providers() is never asked",
             {});
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
