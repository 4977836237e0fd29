#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "sinter/lint/flow/interpreter.h"
#include "sinter/lint/syntax/walk.h"

namespace sinter::lint {
namespace {

constexpr std::size_t kDeepestCalls = 40;
constexpr int kDeepestRecursion = 2;

/// Where a call is reported: a method call of a chain over several lines is on the line of the
/// name.
Place call_place(const Expr& expr) {
  const Expr& function = *expr.parts[0];
  if (function.kind != ExprKind::kAttribute || function.tail.line == expr.place.line)
    return expr.place;
  return {.line = function.tail.line,
          .column = function.tail.column,
          .begin = function.tail.begin,
          .end = expr.place.end};
}

/// Whether a parameter of forward() is surely a tensor: by its annotation, else by its name.
bool is_tensor_parameter(const Parameter& parameter) {
  if (parameter.kind == Parameter::Kind::kList || parameter.kind == Parameter::Kind::kDict)
    return false;
  if (parameter.type) {
    const Expr& type = *parameter.type;
    return type.text == "Tensor" || type.text == "FloatTensor" || type.text == "LongTensor";
  }
  static constexpr std::array kNames{
      "x",      "hidden_states", "hidden",    "sample",
      "latent", "latents",       "context",   "encoder_hidden_states",
      "query",  "key",           "value",     "image",
      "images", "features",      "input_ids", "pixel_values"};
  return !parameter.fallback &&
         std::find(kNames.begin(), kNames.end(), parameter.name) != kNames.end();
}

/// A tensor of which only the device is known.
Argument somewhere(const Parameter& parameter, const Device& device) {
  Facts facts;
  facts.device = device;
  auto source = std::make_shared<Source>();
  source->kind = SourceKind::kNone;
  facts.source = source;
  return {parameter.name, tensor(std::move(facts)), nullptr};
}

/// What the methods of a class assign to attributes of their object after it was made.
std::set<std::string> attributes_of_methods(const ClassDef& type) {
  std::set<std::string> all;
  for (const auto& item : type.body) {
    const FunctionDef* method = item->function.get();
    if (method == nullptr || method->parameters.empty() || method->name == "__init__" ||
        method->name == "__post_init__")
      continue;
    const std::string& self = method->parameters.front().name;
    each_statement(method->body, [&](const Statement& statement) {
      for (const ExprPtr& target : statement.targets)
        each_expression(*target, [&](const Expr& part) {
          if (part.kind == ExprKind::kAttribute && part.parts[0]->text == self)
            all.insert(part.text);
        });
    });
  }
  return all;
}

}  // namespace

const Argument* Invocation::find(std::size_t position, std::string_view name) const {
  std::size_t at = 0;
  for (const Argument& argument : arguments) {
    if (argument.name.empty()) {
      if (at++ == position) return &argument;
    } else if (argument.name == name) {
      return &argument;
    }
  }
  return nullptr;
}

Value Invocation::get(std::size_t position, std::string_view name) const {
  const Argument* found = find(position, name);
  return found == nullptr ? nullptr : found->value;
}

void Interpreter::collect_arguments(const Expr& expr, Invocation& into) {
  for (std::size_t i = 1; i < expr.parts.size(); ++i) {
    const std::string& name = expr.names[i];
    const Value value = evaluate(*expr.parts[i]);
    if (name == "*") {
      const auto* known = as<Sequence>(value);
      into.splat = into.splat || !known || known->open;
      for (Value& item : items(value))
        into.arguments.push_back({"", std::move(item), expr.parts[i].get()});
    } else if (name == "**") {
      if (auto* known = as<Dict>(value)) {
        into.splat = into.splat || !known->others.empty();
        for (auto& [key, item] : known->entries.all())
          into.arguments.push_back({key, item, expr.parts[i].get()});
      } else if (const auto* bundle = as<Bundle>(value);
                 bundle && bundle->use == Bundle::Use::kEncoding) {
        for (const char* key : {"input_ids", "attention_mask"})
          into.arguments.push_back(
              {key, subscript(value, text(key), expr.parts[i]->place), expr.parts[i].get()});
        into.splat = true;
      } else {
        into.splat = true;
      }
    } else {
      into.arguments.push_back({name, value, expr.parts[i].get()});
    }
  }
}

Value Interpreter::evaluate_call(const Expr& expr) {
  const Value function = evaluate(*expr.parts[0]);
  Invocation invocation;
  invocation.expr = &expr;
  invocation.place = call_place(expr);
  collect_arguments(expr, invocation);
  return call(function, invocation);
}

Value Interpreter::call(const Value& function, std::vector<Value> arguments, Place place) {
  Invocation invocation;
  invocation.place = place;
  for (Value& value : arguments) invocation.arguments.push_back({"", std::move(value), nullptr});
  return call(function, invocation);
}

Value Interpreter::call(const Value& function, const Invocation& invocation) {
  count_step();
  Value result;
  if (const auto* own = as<Function>(function)) {
    result = call_function(*own, invocation, nullptr);
  } else if (as<Class>(function)) {
    result = instantiate(function, invocation);
  } else if (const auto* bound = as<Bound>(function)) {
    if (const auto* method = as<Function>(bound->function)) {
      result = call_function(*method, invocation, bound->receiver);
    } else {
      result = libraries_.call_method(*this, bound->receiver, bound->name, invocation);
    }
  } else if (const auto* partial = as<Partial>(function)) {
    Invocation merged = invocation;
    merged.arguments = partial->arguments;
    for (const Argument& argument : invocation.arguments) {
      std::erase_if(merged.arguments, [&](const Argument& old) {
        return !old.name.empty() && old.name == argument.name;
      });
      merged.arguments.push_back(argument);
    }
    if (partial->created != nullptr) {
      merged.expr = partial->created;
      merged.place = partial->place;
    }
    result = call(partial->function, merged);
  } else if (const auto* library = as<Library>(function)) {
    result = libraries_.call(*this, library->path, invocation);
  } else if (as<Module>(function) || as<Thing>(function)) {
    result = libraries_.call_object(*this, function, invocation);
  } else if (const auto* instance = as<Instance>(function)) {
    if (const Value method = class_member(instance->type, "__call__"))
      if (const auto* own_call = as<Function>(method))
        result = call_function(*own_call, invocation, function);
  } else if (as<TypeValue>(function)) {
    result = number(std::nullopt, false);
  } else if (const auto* bundle = as<Bundle>(function)) {
    // latent_dist.sample(): the field and the method have one name.
    Facts facts = bundle->facts;
    facts.shape = TensorShape::some();
    result = tensor(std::move(facts));
  } else {
    libraries_.let_go(*this, invocation);
  }
  return result ? result : unknown_at(invocation.place);
}

void Interpreter::bind(const Function& function, const Invocation& invocation, const Value& self,
                       Frame& inner) {
  const FunctionDef& definition = *function.definition;
  std::size_t position = 0;
  bool first = true;
  const bool has_self = self && function.binding != Function::Binding::kStatic;
  for (std::size_t i = 0; i < definition.parameters.size(); ++i) {
    const Parameter& parameter = definition.parameters[i];
    Value value;
    if (parameter.kind == Parameter::Kind::kList) {
      std::vector<Value> rest;
      while (const Argument* found = invocation.find(position, "")) {
        rest.push_back(found->value);
        ++position;
      }
      value = tuple(std::move(rest));
      if (invocation.splat) as<Sequence>(value)->open = true;
    } else if (parameter.kind == Parameter::Kind::kDict) {
      auto rest = std::make_shared<Dict>();
      for (const Argument& argument : invocation.arguments) {
        const bool taken =
            std::any_of(definition.parameters.begin(), definition.parameters.end(),
                        [&](const Parameter& other) { return other.name == argument.name; });
        if (!argument.name.empty() && !taken) rest->entries.set(argument.name, argument.value);
      }
      value = rest;
    } else if (first && has_self) {
      value = self;
    } else {
      const bool keyword_only = parameter.kind == Parameter::Kind::kKeywordOnly;
      value = invocation.get(keyword_only ? Invocation::kNowhere : position, parameter.name);
      if (!keyword_only) ++position;
    }
    first = false;
    if (!value) value = missing_argument(function, i, invocation);
    inner.scope->names[parameter.name] = value;
  }
}

Value Interpreter::missing_argument(const Function& function, std::size_t at,
                                    const Invocation& invocation) {
  const Parameter& parameter = function.definition->parameters[at];
  const Value fallback = at < function.fallbacks.size() ? function.fallbacks[at] : nullptr;
  if (!fallback || invocation.splat)
    return unknown("param:" + function.definition->name + "." + parameter.name);
  // A default that names a device is repaired where the call leaves it out.
  const auto* word = as<Text>(fallback);
  const auto* place = as<DeviceValue>(fallback);
  const auto device = word    ? parse_device(word->text)
                      : place ? std::optional(place->device)
                              : std::nullopt;
  if (!device || invocation.expr == nullptr) return fallback;
  auto given = std::make_shared<DeviceValue>(*device);
  given->place = invocation.place;
  given->default_of = invocation.expr;
  given->parameter = parameter.name;
  return given;
}

Value Interpreter::call_function(const Function& function, const Invocation& invocation,
                                 const Value& self) {
  const FunctionDef& definition = *function.definition;
  const auto same = std::count_if(frames_.begin(), frames_.end(), [&](const auto& outer) {
    return outer->definition == &definition;
  });
  if (frames_.size() > kDeepestCalls || same > kDeepestRecursion) {
    return unknown_at(invocation.place);
  }
  if (definition.generator) {
    auto made = std::make_shared<Generator>();
    made->function = std::make_shared<Function>(function);
    made->arguments = invocation.arguments;
    if (self) made->arguments.insert(made->arguments.begin(), {"", self, nullptr});
    return made;
  }
  auto inner = std::make_shared<Frame>();
  inner->scope = std::make_shared<Scope>();
  inner->scope->parent = function.scope;
  inner->definition = &definition;
  inner->owner = function.owner;
  inner->self = self;
  inner->called = invocation.place;
  inner->call = invocation.expr;
  bind(function, invocation, self, *inner);
  return run_frame(function, inner);
}

Value Interpreter::run_frame(const Function& function, std::shared_ptr<Frame> inner) {
  entered_.insert(function.definition);
  const std::size_t depth = frames_.size();
  inner->loop_depth = static_cast<int>(state.loops.size());
  inner->in_forward = state.forward_depth > 0 && function.owner != nullptr &&
                      function.owner->module && function.definition->name != "__init__";
  const State before = state;
  for (const Value& context : function.contexts) enter_context(context, context->place);
  frames_.push_back(inner);
  struct Leave {
    Interpreter& in;
    const State& before;
    std::size_t depth;
    bool contexts;
    ~Leave() {
      in.frames_.resize(std::min(depth, in.frames_.size()));
      in.state.loops.resize(std::min(before.loops.size(), in.state.loops.size()));
      if (contexts) in.leave_context(before);
    }
  } leave{*this, before, depth, !function.contexts.empty()};
  inner->result = none();
  run(function.definition->body);
  return inner->result;
}

void Interpreter::forget_what_methods_set(const Value& self) {
  auto* module = as<Module>(self);
  auto* instance = as<Instance>(self);
  if (module == nullptr && instance == nullptr) return;
  Names& names = module ? module->members : instance->attributes;
  const auto* type = as<Class>(module ? module->type : instance->type);
  const auto changing =
      type && type->definition ? attributes_of_methods(*type->definition) : std::set<std::string>{};
  for (auto& [name, value] : names.all()) {
    if (as<None>(value) || changing.contains(name))
      value = unknown(key_at(self->place) + "." + name);
    if (auto* sequence = as<Sequence>(value); sequence && sequence->items.empty())
      sequence->open = true;
  }
  // A base class of another file may have moved what it holds.
  if (instance == nullptr || !has_foreign_base(instance->type)) return;
  Invocation held;
  for (auto& [name, value] : names.all()) held.arguments.push_back({name, value, nullptr});
  libraries_.let_go(*this, held);
}

void Interpreter::run_alone(const FunctionDef& definition, const ClassDef* owner) {
  Invocation invocation;
  invocation.splat = true;
  state.alone = true;
  const auto all = classes_;
  for (const auto& type : all) {
    if (type->definition != owner) continue;
    Value* found = type->members.find(definition.name);
    const auto* method = found ? as<Function>(*found) : nullptr;
    if (method == nullptr || method->definition != &definition) return;
    Value self;
    if (method->binding == Function::Binding::kStatic) {
      self = nullptr;
    } else if (method->binding == Function::Binding::kClass) {
      self = type;
    } else if (definition.name == "__init__") {
      instantiate(type, invocation);
      return;
    } else {
      self = instantiate(type, invocation);
      forget_what_methods_set(self);
    }
    // Wherever its input is, the module is there too.
    const Device home = Device::symbol("its input's device");
    if (auto* module = as<Module>(self)) libraries_.settle(*this, *module, home);
    if (definition.name == "forward" && type->module) {
      for (const Parameter& parameter : definition.parameters)
        if (is_tensor_parameter(parameter))
          invocation.arguments.push_back(somewhere(parameter, home));
      call(self, invocation);
    } else {
      call_function(*method, invocation, self);
    }
    return;
  }
  const auto found = module_scope_->names.find(definition.name);
  if (owner != nullptr || found == module_scope_->names.end()) return;
  const auto* function = as<Function>(found->second);
  if (function == nullptr || function->definition != &definition) return;
  Value made = call_function(*function, invocation, nullptr);
  if (as<Generator>(made)) iterate(made, [](const Value&) {});
}

Value Interpreter::instantiate(const Value& type, const Invocation& invocation) {
  auto& made = *as<Class>(type);
  const Value init = class_member(type, "__init__");
  if (made.module) {
    auto module = std::make_shared<Module>();
    module->place = invocation.place;
    module->type = type;
    module->created = invocation.expr;
    module->device = default_device();
    module->dtype = state.default_type;
    module->opaque = derives_from_library_model(type);
    module->source = module_source(*module);
    if (const auto* function = as<Function>(init)) call_function(*function, invocation, module);
    module->ready = true;
    return module;
  }
  auto instance = std::make_shared<Instance>(type);
  instance->place = invocation.place;
  if (const auto* function = as<Function>(init)) {
    call_function(*function, invocation, instance);
  } else if (made.data) {
    for (std::size_t i = 0; i < made.fields.size(); ++i) {
      Value value = invocation.get(i, made.fields[i]);
      if (!value) {
        const Value* fallback = made.members.find(made.fields[i]);
        value = fallback ? *fallback : unknown();
      }
      instance->attributes.set(made.fields[i], value);
    }
    if (const Value after = class_member(type, "__post_init__"))
      if (const auto* last = as<Function>(after))
        call_function(*last, Invocation{.place = invocation.place}, instance);
  }
  return instance;
}

}  // namespace sinter::lint
