#include <fmt/format.h>

#include "sinter/lint/flow/interpreter.h"
#include "sinter/lint/values/containers.h"

namespace sinter::lint {
namespace {

/// Whether it can hold other values, and so what it is put into.
bool holds_values(const Value& value) {
  switch (value->kind) {
    case Kind::kModule:
    case Kind::kInstance:
    case Kind::kSequence:
    case Kind::kDict:
    case Kind::kBound:
    case Kind::kPartial:
    case Kind::kThing:
    case Kind::kGenerator:
    case Kind::kFunction:
    case Kind::kClass:
      return true;
    default:
      return false;
  }
}

/// The name of an entry; empty when it is not known.
std::string entry_name(const Value& index) {
  const auto* key = as<Text>(index);
  if (key != nullptr) return key->exact() ? key->text : "";
  const auto* digits = as<Number>(index);
  return digits && digits->value ? fmt::format("{}", *digits->value) : "";
}

Value item_at(const Sequence& sequence, const Value& index) {
  if (const auto* slice = as<Slice>(index)) return slice_sequence(sequence, *slice);
  if (sequence.items.empty()) return unknown();
  const auto* at = as<Number>(index);
  if (!at || !at->value) return mark_attribute(sequence, sequence.items.front());
  const auto size = static_cast<double>(sequence.items.size());
  const double position = *at->value < 0 ? *at->value + size : *at->value;
  if (position >= 0 && position < size)
    return mark_attribute(sequence, sequence.items[static_cast<std::size_t>(position)]);
  return sequence.open ? mark_attribute(sequence, sequence.items.back()) : unknown();
}

Value entry_at(Dict& dict, const Value& index) {
  const std::string name = entry_name(index);
  if (const Value* found = name.empty() ? nullptr : dict.entries.find(name))
    return mark_attribute(dict, *found);
  if (!dict.others.empty()) return mark_attribute(dict, dict.others.front());
  if (name.empty() && !dict.entries.empty())
    return mark_attribute(dict, dict.entries.all().front().second);
  return unknown();
}

}  // namespace

bool Interpreter::derives_from_library_model(const Value& type) const {
  const auto* own = as<Class>(type);
  if (own == nullptr) return false;
  for (const Value& base : own->bases) {
    if (derives_from_library_model(base)) return true;
    const auto* library = as<Library>(base);
    if (library && libraries_.is_module_class(library->path) &&
        !library->path.starts_with("torch.nn.Module"))
      return true;
  }
  return false;
}

Value Interpreter::bind_member(const Value& self, const Value& member, const Place& place) {
  const auto* function = as<Function>(member);
  if (function == nullptr || function->binding == Function::Binding::kStatic) return member;
  auto bound = std::make_shared<Bound>(self, function->definition->name);
  bound->function = member;
  if (function->binding == Function::Binding::kClass) {
    if (const auto* instance = as<Instance>(self)) bound->receiver = instance->type;
    if (const auto* module = as<Module>(self)) bound->receiver = module->type;
  }
  if (function->binding == Function::Binding::kProperty) return call(bound, {}, place);
  return bound;
}

Value Interpreter::super_attribute(const Thing& super, const std::string& name,
                                   const Place& place) {
  if (const auto* type = as<Class>(super.attributes_type)) {
    for (const Value& base : type->bases)
      if (const Value member = class_member(base, name))
        return bind_member(super.held, member, place);
  }
  return std::make_shared<Bound>(super.held, "super." + name);
}

Value Interpreter::attribute(const Value& object, const std::string& name, const Place& place) {
  current_ = place;
  if (const auto* library = as<Library>(object)) {
    const std::string path = libraries_.canonical_path(library->path + "." + name);
    Value special = libraries_.constant(path);
    return special ? special : std::make_shared<Library>(path);
  }
  if (auto* open = as<Unknown>(object)) {
    if (const Value* set = open->attributes.find(name)) return *set;
    return unknown(open->key.empty() ? "" : open->key + "." + name);
  }
  if (auto* instance = as<Instance>(object)) {
    if (const Value* set = instance->attributes.find(name)) return *set;
    if (const Value member = class_member(instance->type, name))
      return bind_member(object, member, place);
    if (name == "__class__") return instance->type;
    if (name == "__enter__") return std::make_shared<Bound>(object, name);
    return unknown(key_at(instance->place) + "." + name);
  }
  if (auto* module = as<Module>(object)) {
    const Value member = module->members.find(name) ? nullptr : class_member(module->type, name);
    if (member) return bind_member(object, member, place);
  }
  if (const auto* type = as<Class>(object)) {
    if (const Value member = class_member(object, name)) {
      const auto* function = as<Function>(member);
      if (function && function->binding == Function::Binding::kClass)
        return bind_member(object, member, place);
      return member;
    }
    return type->module && derives_from_library_model(object)
               ? std::make_shared<Library>("models." + type->name + "." + name)
               : unknown();
  }
  if (const auto* thing = as<Thing>(object); thing && thing->what == Thing::What::kSuper)
    return super_attribute(*thing, name, place);
  return libraries_.attribute(*this, object, name, place);
}

void Interpreter::set_attribute(const Value& object, const std::string& name, const Value& value,
                                const Place& place) {
  may_hold_itself(object);
  if (auto* instance = as<Instance>(object)) {
    const auto* setter = as<Function>(class_member(instance->type, name));
    if (setter == nullptr || setter->binding != Function::Binding::kProperty)
      instance->attributes.set(name, value);
  } else if (auto* open = as<Unknown>(object)) {
    open->attributes.set(name, value);
  } else if (auto* type = as<Class>(object)) {
    type->members.set(name, value);
  } else {
    libraries_.set_attribute(*this, object, name, value, place);
  }
}

Value Interpreter::subscript(const Value& object, const Value& index, const Place& place) {
  if (const auto* sequence = as<Sequence>(object)) return item_at(*sequence, index);
  if (auto* dict = as<Dict>(object)) return entry_at(*dict, index);
  if (as<Text>(object)) return text("\x01");
  if (const auto* open = as<Unknown>(object)) {
    const auto* key = as<Text>(index);
    const bool keyed = !open->key.empty() && key && key->exact();
    return unknown(keyed ? open->key + "['" + key->text + "']" : "");
  }
  if (const auto* instance = as<Instance>(object)) {
    if (const Value method = class_member(instance->type, "__getitem__"))
      return call(bind_member(object, method, place), {index}, place);
    return unknown();
  }
  return libraries_.subscript(*this, object, index, place);
}

void Interpreter::set_subscript(const Value& object, const Value& index, const Value& value,
                                const Place& place) {
  if (holds_values(value)) may_hold_itself(object);
  if (auto* dict = as<Dict>(object)) {
    const std::string name = entry_name(index);
    // A key that is set again holds one result, however often.
    const bool later = !state.loops.empty() && state.loops.back().turn > 1;
    const bool grows = name.empty() || (later && dict->entries.find(name) == nullptr);
    if (!name.empty()) {
      dict->entries.set(name, value);
    } else if (dict->others.size() < 64) {
      dict->others.push_back(value);
    }
    if (grows) watch_kept(object, value, place);
    note_container_module(dict->attribute, dict->attribute_name, value);
  } else if (auto* sequence = as<Sequence>(object)) {
    const auto* at = as<Number>(index);
    if (at && at->value && *at->value >= 0 &&
        *at->value < static_cast<double>(sequence->items.size())) {
      sequence->items[static_cast<std::size_t>(*at->value)] = value;
    } else if (!as<Slice>(index)) {
      for (Value& item : sequence->items) item = value;
    }
    watch_kept(object, value, place);
  } else {
    libraries_.set_subscript(*this, object, index, value, place);
  }
}

Value Interpreter::binary(const std::string& op, const Value& left, const Value& right,
                          const Place& place) {
  const auto* instance = as<Instance>(left);
  if (instance == nullptr) return libraries_.binary(*this, op, left, right, place);
  const std::string name = op == "+"   ? "__add__"
                           : op == "*" ? "__mul__"
                           : op == "@" ? "__matmul__"
                                       : "";
  if (class_member(instance->type, name)) return call(attribute(left, name, place), {right}, place);
  return unknown();
}

}  // namespace sinter::lint
