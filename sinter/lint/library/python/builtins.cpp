#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sinter/lint/library/library.h"

namespace sinter::lint {
namespace {

constexpr double kMostTurns = 8;  // of a range that is counted out

Value range(const Invocation& call) {
  std::array<std::optional<double>, 3> given{0.0, std::nullopt, 1.0};
  const std::size_t count = call.arguments.size();
  const auto at = [&](std::size_t i) {
    const auto* found = as<Number>(call.arguments[i].value);
    return found ? found->value : std::nullopt;
  };
  if (count == 1) given[1] = at(0);
  if (count >= 2) {
    given[0] = at(0);
    given[1] = at(1);
  }
  if (count >= 3) given[2] = at(2);
  auto made = std::make_shared<Sequence>(Sequence::Type::kList);
  const bool known = given[0] && given[1] && given[2] && *given[2] != 0;
  if (known && (*given[1] - *given[0]) / *given[2] <= kMostTurns) {
    for (double i = *given[0]; *given[2] > 0 ? i < *given[1] : i > *given[1]; i += *given[2])
      made->items.push_back(number(i));
    return made;
  }
  made->open = true;
  made->items = {number(std::nullopt), number(std::nullopt)};
  return made;
}

Value enumerate(Interpreter& in, const Invocation& call) {
  auto made = std::make_shared<Sequence>(Sequence::Type::kList);
  double at = 0;
  bool exact = true;
  std::vector<Value> all;
  exact = in.iterate(call.get(0, "iterable"), [&](Value item) { all.push_back(std::move(item)); });
  for (Value& item : all)
    made->items.push_back(
        tuple({number(exact ? std::optional(at++) : std::nullopt), std::move(item)}));
  made->open = !exact;
  return made;
}

Value zip(Interpreter& in, const Invocation& call) {
  std::vector<std::vector<Value>> all;
  bool exact = true;
  for (const Argument& argument : call.arguments) {
    if (!argument.name.empty()) continue;
    std::vector<Value> items;
    exact =
        in.iterate(argument.value, [&](Value item) { items.push_back(std::move(item)); }) && exact;
    all.push_back(std::move(items));
  }
  auto made = std::make_shared<Sequence>(Sequence::Type::kList);
  made->open = !exact || call.splat;
  std::size_t length = 1000;
  for (const auto& items : all) length = std::min(length, items.size());
  if (all.empty()) length = 0;
  for (std::size_t i = 0; i < length; ++i) {
    std::vector<Value> row;
    for (const auto& items : all) row.push_back(items[i]);
    made->items.push_back(tuple(std::move(row)));
  }
  return made;
}

Value map(Interpreter& in, const Invocation& call) {
  (void)in;
  if (call.arguments.size() < 2) return unknown();
  // map() is lazy: what nobody asks for never happens.
  auto made = std::make_shared<Generator>();
  made->place = call.place;
  made->function = call.arguments[0].value;
  made->mapped = call.arguments[1].value;
  return made;
}

Value sequence_of(Interpreter& in, Sequence::Type type, const Invocation& call) {
  auto made = std::make_shared<Sequence>(type);
  made->place = call.place;
  made->loop_depth = static_cast<int>(in.state.loops.size());
  if (!call.arguments.empty())
    made->open = !in.iterate(call.arguments[0].value,
                             [&](Value item) { made->items.push_back(std::move(item)); });
  return made;
}

Value dict_of(Interpreter& in, const Invocation& call) {
  auto made = std::make_shared<Dict>();
  made->loop_depth = static_cast<int>(in.state.loops.size());
  for (const Argument& argument : call.arguments) {
    if (!argument.name.empty()) {
      made->entries.set(argument.name, argument.value);
    } else if (auto* other = as<Dict>(argument.value)) {
      for (auto& [name, value] : other->entries.all()) made->entries.set(name, value);
      made->others.insert(made->others.end(), other->others.begin(), other->others.end());
    } else if (as<Bundle>(argument.value)) {
      return deep_copy(argument.value);
    } else {
      for (const Value& pair : in.items(argument.value)) {
        const auto* both = as<Sequence>(pair);
        if (both && both->items.size() == 2)
          in.set_subscript(made, both->items[0], both->items[1], call.place);
      }
    }
  }
  if (call.splat) made->others.push_back(unknown());
  return made;
}

std::optional<bool> is_instance(const Value& value, const Value& type, int depth = 0) {
  if (depth > 8) return std::nullopt;
  if (const auto* several = as<Sequence>(type)) {
    bool sure = true;
    for (const Value& one : several->items) {
      const auto answer = is_instance(value, one, depth + 1);
      if (answer && *answer) return true;
      sure = sure && answer;
    }
    return sure ? std::optional(false) : std::nullopt;
  }
  if (as<Unknown>(value) || !value) return std::nullopt;
  if (as<Class>(type)) {
    Value own = as<Instance>(value) ? as<Instance>(value)->type
                : as<Module>(value) ? as<Module>(value)->type
                                    : nullptr;
    std::function<bool(const Value&)> derives = [&](const Value& each) {
      if (each == type) return true;
      const auto* found = as<Class>(each);
      return found && std::any_of(found->bases.begin(), found->bases.end(), derives);
    };
    return own && derives(own);
  }
  const auto* library = as<Library>(type);
  if (library == nullptr) return std::nullopt;
  const std::string& path = library->path;
  const std::string last = path.substr(path.rfind('.') + 1);
  if (const auto* module = as<Module>(value)) {
    if (path == "torch.nn.Module") return true;
    if (module->library == "part" || module->opaque) return std::nullopt;
    if (!module->library.empty()) return module->library == last;
    return std::nullopt;
  }
  if (as<Tensor>(value)) {
    if (last == "Tensor") return true;
    return last == "Parameter" ? std::optional(as<Tensor>(value)->parameter) : std::optional(false);
  }
  if (as<Bundle>(value)) return std::nullopt;
  if (as<Text>(value)) return last == "str" || (last == "Path" && as<Text>(value)->path);
  if (const auto* digits = as<Number>(value)) {
    if (last == "bool") return digits->boolean;
    if (last == "int") return digits->integer;
    return last == "float" && !digits->integer;
  }
  if (const auto* several = as<Sequence>(value)) {
    if (last == "list") return several->type == Sequence::Type::kList;
    if (last == "tuple") return several->type == Sequence::Type::kTuple;
    return last == "Sequence" || last == "Iterable";
  }
  if (as<Dict>(value)) return last == "dict" || last == "Mapping";
  if (as<Array>(value)) return last == "ndarray";
  if (const auto* device = as<DeviceValue>(value))
    return device->default_of ? std::nullopt : std::optional(path == "torch.device");
  if (as<None>(value)) return false;
  return std::nullopt;
}

Value total(Interpreter& in, const Invocation& call) {
  Value sum = call.get(1, "start");
  in.iterate(call.get(0, "iterable"),
             [&](const Value& item) { sum = sum ? in.binary("+", sum, item, call.place) : item; });
  return sum ? sum : number(std::nullopt, false);
}

Value get_attribute(Interpreter& in, const Invocation& call) {
  const auto* name = as<Text>(call.get(1, "name"));
  const Value object = call.get(0, "object");
  if (name == nullptr || !name->exact() || !object) {
    // One of the attributes, of a pipeline or a model: which one is not known.
    return unknown();
  }
  return in.attribute(object, name->text, call.place);
}

Value has_attribute(const Invocation& call) {
  const auto* name = as<Text>(call.get(1, "name"));
  const Value object = call.get(0, "object");
  if (name == nullptr || !name->exact()) return unknown();
  if (auto* module = as<Module>(object)) {
    if (module->members.find(name->text) || class_member(module->type, name->text))
      return boolean(true);
  }
  if (auto* instance = as<Instance>(object)) {
    const bool found =
        instance->attributes.find(name->text) || class_member(instance->type, name->text);
    return boolean(found);
  }
  return unknown();
}

Value super(Interpreter& in) {
  auto made = std::make_shared<Thing>(Thing::What::kSuper);
  const Frame& frame = in.frame();
  made->held = frame.self;
  if (!made->held && frame.definition != nullptr && !frame.definition->parameters.empty()) {
    const auto found = frame.scope->names.find(frame.definition->parameters.front().name);
    if (found != frame.scope->names.end()) made->held = found->second;
  }
  if (frame.owner != nullptr)
    made->attributes_type = std::static_pointer_cast<Object>(frame.owner->shared_from_this());
  return made;
}

Value numeric(const std::string& name, const Invocation& call) {
  const auto* given = call.arguments.empty() ? nullptr : as<Number>(call.arguments[0].value);
  std::optional<double> value = given ? given->value : std::nullopt;
  Value made;
  if (name == "int" || name == "round") {
    if (value) value = name == "int" ? std::trunc(*value) : std::nearbyint(*value);
    made = number(name == "round" && call.arguments.size() > 1 ? std::nullopt : value);
  } else if (name == "float") {
    made = number(value, false);
  } else if (name == "abs") {
    made =
        number(value ? std::optional(std::abs(*value)) : value, given == nullptr || given->integer);
  } else {
    return nullptr;
  }
  if (given != nullptr) made->place = given->place;
  return made;
}

Value smallest(Interpreter& in, const std::string& name, const Invocation& call) {
  std::vector<Value> all;
  if (call.arguments.size() == 1) {
    all = in.items(call.arguments[0].value);
  } else {
    for (const Argument& argument : call.arguments)
      if (argument.name.empty()) all.push_back(argument.value);
  }
  Value best;
  for (const Value& value : all) {
    const auto* digits = as<Number>(value);
    if (!digits || !digits->value) return all.empty() ? unknown() : all.front();
    const bool better = !best || (name == "min" ? *digits->value < *as<Number>(best)->value
                                                : *digits->value > *as<Number>(best)->value);
    if (better) best = value;
  }
  return best ? best : unknown();
}

Value next_item(Interpreter& in, const Invocation& call) {
  Value first;
  try {
    in.iterate(call.get(0, "iterator"), [&](const Value& item) {
      if (!first) first = item;
    });
  } catch (const LeaveGenerator&) {
  }
  if (const Facts* facts = facts_of(first);
      facts && facts->source && facts->source->kind == SourceKind::kFirstParameter) {
    auto source = std::make_shared<Source>(*facts->source);
    source->place = call.place;
    facts_of(first)->source = source;
  }
  return first ? first : unknown();
}

Value open_file(Interpreter& in, const Invocation& call) {
  const auto* mode = as<Text>(call.get(1, "mode"));
  if (mode && mode->text.find_first_of("wax") != std::string::npos)
    check_output_path(in, call.get(0, "file"), call.place);
  return unknown();
}

Value conversions(Interpreter& in, const std::string& name, const Invocation& call) {
  if (name == "range") return range(call);
  if (name == "enumerate") return enumerate(in, call);
  if (name == "zip") return zip(in, call);
  if (name == "map") return map(in, call);
  if (name == "list") return sequence_of(in, Sequence::Type::kList, call);
  if (name == "tuple") return sequence_of(in, Sequence::Type::kTuple, call);
  if (name == "set" || name == "frozenset") return sequence_of(in, Sequence::Type::kSet, call);
  if (name == "dict") return dict_of(in, call);
  if (name == "sorted" || name == "reversed" || name == "iter") {
    const Value given = call.get(0, "iterable");
    if (as<Generator>(given) || !as<Sequence>(given)) return given ? given : unknown();
    auto made = std::make_shared<Sequence>(*as<Sequence>(given));
    if (name == "reversed") std::reverse(made->items.begin(), made->items.end());
    return made;
  }
  if (name == "filter") {
    const Value made = sequence_of(
        in, Sequence::Type::kList,
        Invocation{.arguments = {call.arguments.begin() + (call.arguments.empty() ? 0 : 1),
                                 call.arguments.end()},
                   .expr = call.expr,
                   .place = call.place});
    as<Sequence>(made)->open = true;
    return made;
  }
  return nullptr;
}

Value to_text(const Invocation& call) {
  const Value given = call.arguments.empty() ? nullptr : call.arguments[0].value;
  if (auto* word = as<Text>(given)) {
    auto made = std::make_shared<Text>(*word);
    made->path = false;
    return made;
  }
  if (const auto* device = as<DeviceValue>(given); device && device->device.is_cuda())
    return text(to_string(device->device));
  if (const auto* digits = as<Number>(given); digits && digits->value && digits->integer)
    return text(fmt::format("{}", *digits->value));
  return text("\x01");
}

}  // namespace

Value call_builtin(Interpreter& in, const std::string& name, const Invocation& call) {
  if (Value made = conversions(in, name, call)) return made;
  if (Value made = numeric(name, call)) {
    const Value first = call.arguments.empty() ? nullptr : call.arguments[0].value;
    return name == "abs" && facts_of(first) ? tensor_method(in, first, "abs", {}) : made;
  }
  if (name == "len") {
    const auto* several = as<Sequence>(call.get(0, "obj"));
    return number(several && !several->open
                      ? std::optional(static_cast<double>(several->items.size()))
                      : std::nullopt);
  }
  if (name == "isinstance")
    return boolean_or_unknown(is_instance(call.get(0, "obj"), call.get(1, "type")));
  if (name == "getattr") return get_attribute(in, call);
  if (name == "hasattr") return has_attribute(call);
  if (name == "setattr") {
    const auto* attribute = as<Text>(call.get(1, "name"));
    if (attribute && attribute->exact() && call.get(2, "value"))
      in.set_attribute(call.get(0, "object"), attribute->text, call.get(2, "value"), call.place);
    else
      let_go(in, call);
    return none();
  }
  if (name == "super") return super(in);
  if (name == "sum") return total(in, call);
  if (name == "min" || name == "max") return smallest(in, name, call);
  if (name == "next") return next_item(in, call);
  if (name == "open") return open_file(in, call);
  if (name == "str" || name == "repr" || name == "format") return to_text(call);
  if (name == "bool") {
    const auto known =
        call.arguments.empty() ? std::optional(false) : in.truth(call.arguments[0].value);
    if (!known && as<Unknown>(call.arguments[0].value)) return call.arguments[0].value;
    return boolean_or_unknown(known);
  }
  if (name == "exit" || name == "quit") throw Exit{};
  if (name == "type") {
    const Value given = call.get(0, "object");
    if (const auto* instance = as<Instance>(given)) return instance->type;
    if (const auto* module = as<Module>(given); module && module->type) return module->type;
    if (const auto* several = as<Sequence>(given))
      return std::make_shared<Library>(several->type == Sequence::Type::kTuple ? "builtins.tuple"
                                                                               : "builtins.list");
    if (as<Dict>(given)) return std::make_shared<Library>("builtins.dict");
    return unknown();
  }
  if (name == "print" || name == "setattr" || name == "delattr") return none();
  if (name == "any" || name == "all") {
    in.items(call.get(0, "iterable"));
    return unknown();
  }
  return unknown();
}

}  // namespace sinter::lint
