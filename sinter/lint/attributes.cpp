#include <fmt/format.h>

#include <utility>

#include "sinter/lint/interpreter.h"
#include "sinter/lint/library.h"
#include "sinter/lint/objects.h"
#include "sinter/lint/tensors.h"

namespace sinter::lint {
namespace {

Value bind_member(Interpreter& in, const Value& self, const Value& member, const Place& place) {
  const auto* function = as<Function>(member);
  if (function == nullptr) return member;
  if (function->binding == Function::Binding::kStatic) return member;
  auto bound = std::make_shared<Bound>(self, function->definition->name);
  bound->function = member;
  if (function->binding == Function::Binding::kClass) {
    if (const auto* instance = as<Instance>(self)) bound->receiver = instance->type;
    if (const auto* module = as<Module>(self)) bound->receiver = module->type;
  }
  if (function->binding == Function::Binding::kProperty) return in.call(bound, {}, place);
  return bound;
}

Value super_attribute(Interpreter& in, const Thing& super, const std::string& name,
                      const Place& place) {
  const auto* type = as<Class>(super.attributes_type);
  if (type != nullptr) {
    for (const Value& base : type->bases)
      if (as<Class>(base))
        if (const Value member = class_member(base, name))
          return bind_member(in, super.held, member, place);
  }
  (void)in;
  (void)place;
  return std::make_shared<Bound>(super.held, "super." + name);
}

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

}  // namespace

Value class_member(const Value& type, const std::string& name) {
  auto* own = as<Class>(type);
  if (own == nullptr) return nullptr;
  if (Value* found = own->members.find(name)) return *found;
  for (const Value& base : own->bases)
    if (Value found = class_member(base, name)) return found;
  return nullptr;
}

bool derives_from_library_model(const Value& type) {
  const auto* own = as<Class>(type);
  if (own == nullptr) return false;
  for (const Value& base : own->bases) {
    if (derives_from_library_model(base)) return true;
    const auto* library = as<Library>(base);
    if (library && is_module_class(library->path) && !library->path.starts_with("torch.nn.Module"))
      return true;
  }
  return false;
}

Value Interpreter::attribute(const Value& object, const std::string& name, const Place& place) {
  current_ = place;
  if (const auto* library = as<Library>(object)) {
    const std::string path = canonical_path(library->path + "." + name);
    Value special = library_constant(path);
    return special ? special : std::make_shared<Library>(path);
  }
  if (auto* open = as<Unknown>(object)) {
    if (const Value* set = open->attributes.find(name)) return *set;
    return unknown(open->key.empty() ? "" : open->key + "." + name);
  }
  if (auto* instance = as<Instance>(object)) {
    if (const Value* set = instance->attributes.find(name)) return *set;
    if (const Value member = class_member(instance->type, name))
      return bind_member(*this, object, member, place);
    if (name == "__class__") return instance->type;
    if (name == "__enter__") return std::make_shared<Bound>(object, name);
    return unknown(key_at(instance->place) + "." + name);
  }
  if (const auto* module = as<Module>(object)) {
    if (Value* set = const_cast<Module*>(module)->members.find(name); !set) {
      if (const Value member = class_member(module->type, name))
        return bind_member(*this, object, member, place);
    }
    return module_attribute(*this, object, name, place);
  }
  if (const auto* type = as<Class>(object)) {
    if (const Value member = class_member(object, name)) {
      const auto* function = as<Function>(member);
      if (function && function->binding == Function::Binding::kClass)
        return bind_member(*this, object, member, place);
      return member;
    }
    return type->module && derives_from_library_model(object)
               ? std::make_shared<Library>("models." + type->name + "." + name)
               : unknown();
  }
  if (const auto* thing = as<Thing>(object)) {
    if (thing->what == Thing::What::kSuper) return super_attribute(*this, *thing, name, place);
    return thing_attribute(*this, object, name);
  }
  if (facts_of(object)) return tensor_attribute(*this, object, name);
  if (const auto* device = as<DeviceValue>(object)) {
    if (name == "type") {
      if (device->device.type == Device::Type::kSymbol)
        return unknown(device->device.name + ".type");
      return device->device.known() && device->device.type == Device::Type::kCuda ? text("cuda")
             : device->device.known() ? text(to_string(device->device))
                                      : unknown();
    }
    if (name == "index") return number(std::nullopt);
    return std::make_shared<Bound>(object, name);
  }
  if (const auto* array = as<Array>(object)) return array_attribute(*array, object, name);
  if (const auto* word = as<Text>(object); word && word->path) return path_attribute(*word, name);
  if (as<Slice>(object) || as<None>(object)) return unknown();
  return std::make_shared<Bound>(object, name);
}

void Interpreter::set_attribute(const Value& object, const std::string& name, const Value& value,
                                const Place& place) {
  may_hold_itself(object);
  if (auto* module = as<Module>(object)) {
    set_module_attribute(*this, *module, name, value, place);
  } else if (auto* instance = as<Instance>(object)) {
    if (const auto* setter = as<Function>(class_member(instance->type, name));
        setter && setter->binding == Function::Binding::kProperty)
      return;
    instance->attributes.set(name, value);
  } else if (auto* open = as<Unknown>(object)) {
    open->attributes.set(name, value);
  } else if (auto* thing = as<Thing>(object)) {
    set_thing_attribute(*this, *thing, name, value);
  } else if (auto* type = as<Class>(object)) {
    type->members.set(name, value);
  } else if (auto* target = as<Tensor>(object)) {
    if (name == "data") replace_data(*this, *target, value, place);
    if (name == "requires_grad" && truth(value) == std::optional(false)) target->parameter = false;
  }
}

Value Interpreter::subscript(const Value& object, const Value& index, const Place& place) {
  if (as<Tensor>(object)) return index_tensor(*this, object, index, place);
  if (auto* bundle = as<Bundle>(object)) return index_bundle(*this, *bundle, index, place);
  if (auto* sequence = as<Sequence>(object)) {
    if (const auto* slice = as<Slice>(index)) return slice_sequence(*sequence, *slice);
    const auto* at = as<Number>(index);
    if (sequence->items.empty()) return unknown();
    if (!at || !at->value) return mark_attribute(*sequence, sequence->items.front());
    const auto size = static_cast<double>(sequence->items.size());
    const double position = *at->value < 0 ? *at->value + size : *at->value;
    if (position < 0 || position >= size) {
      return sequence->open ? mark_attribute(*sequence, sequence->items.back()) : unknown();
    }
    return mark_attribute(*sequence, sequence->items[static_cast<std::size_t>(position)]);
  }
  if (auto* dict = as<Dict>(object)) {
    const auto* key = as<Text>(index);
    const auto* digits = as<Number>(index);
    std::string name = key && key->exact() ? key->text : "";
    if (digits && digits->value) name = fmt::format("{}", *digits->value);
    if (const Value* found = name.empty() ? nullptr : dict->entries.find(name))
      return mark_attribute(*dict, *found);
    if (!dict->others.empty()) return mark_attribute(*dict, dict->others.front());
    if (name.empty() && !dict->entries.empty())
      return mark_attribute(*dict, dict->entries.all().front().second);
    return unknown();
  }
  if (as<Module>(object)) return index_module(*this, object, index, place);
  if (const auto* array = as<Array>(object)) return index_array(*array, index);
  if (const auto* word = as<Text>(object)) {
    (void)word;
    return text("\x01");
  }
  if (const auto* open = as<Unknown>(object)) {
    const auto* key = as<Text>(index);
    const bool keyed = !open->key.empty() && key && key->exact();
    return unknown(keyed ? open->key + "['" + key->text + "']" : "");
  }
  if (const auto* instance = as<Instance>(object)) {
    if (const Value method = class_member(instance->type, "__getitem__"))
      return call(bind_member(*this, object, method, place), {index}, place);
  }
  if (as<Thing>(object)) return index_thing(*this, object, index);
  return unknown();
}

void Interpreter::set_subscript(const Value& object, const Value& index, const Value& value,
                                const Place& place) {
  if (holds_values(value)) may_hold_itself(object);
  if (auto* dict = as<Dict>(object)) {
    const auto* key = as<Text>(index);
    const auto* digits = as<Number>(index);
    std::string name = key && key->exact() ? key->text : "";
    if (digits && digits->value) name = fmt::format("{}", *digits->value);
    // A key that is set again holds one result, however often.
    const bool later = !state.loops.empty() && state.loops.back().turn > 1;
    const bool grows = name.empty() || (later && dict->entries.find(name) == nullptr);
    if (key && key->exact()) {
      dict->entries.set(key->text, value);
    } else if (!name.empty()) {
      dict->entries.set(name, value);
    } else if (dict->others.size() < 64) {
      dict->others.push_back(value);
    }
    if (grows) watch_kept(*this, object, value, place);
    note_container_module(dict->attribute, dict->attribute_name, value);
    return;
  }
  if (auto* sequence = as<Sequence>(object)) {
    const auto* at = as<Number>(index);
    if (at && at->value && *at->value >= 0 &&
        *at->value < static_cast<double>(sequence->items.size())) {
      sequence->items[static_cast<std::size_t>(*at->value)] = value;
    } else if (!as<Slice>(index)) {
      for (Value& item : sequence->items) item = value;
    }
    watch_kept(*this, object, value, place);
    return;
  }
  if (as<Tensor>(object)) {
    store_in_tensor(*this, object, index, value, place);
  } else if (as<Thing>(object)) {
    set_environment(*this, *as<Thing>(object), index, value, place);
  } else if (auto* module = as<Module>(object)) {
    const auto* key = as<Text>(index);
    if (key && key->exact()) set_module_attribute(*this, *module, key->text, value, place);
    const auto* at = as<Number>(index);
    if (at && at->value)
      set_module_attribute(*this, *module, fmt::format("{}", *at->value), value, place);
  } else if (auto* bundle = as<Bundle>(object)) {
    store_in_bundle(*bundle, value);
  }
}

}  // namespace sinter::lint
