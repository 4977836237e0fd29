#include "sinter/lint/library/known_libraries.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sinter/lint/library/library.h"
#include "sinter/lint/library/things.h"
#include "sinter/lint/library/torch/modules.h"
#include "sinter/lint/tensors/arithmetic.h"
#include "sinter/lint/tensors/indexing.h"
#include "sinter/lint/tensors/moves.h"

namespace sinter::lint {
namespace {

Value device_attribute(const Device& device, const Value& self, const std::string& name) {
  if (name == "index") return number(std::nullopt);
  if (name != "type") return std::make_shared<Bound>(self, name);
  if (device.type == Device::Type::kSymbol) return unknown(device.name + ".type");
  if (device.is_cuda()) return text("cuda");
  return device.known() ? text(to_string(device)) : unknown();
}

}  // namespace

std::string KnownLibraries::canonical_path(std::string path) const {
  return lint::canonical_path(std::move(path));
}

Value KnownLibraries::constant(const std::string& path) const { return library_constant(path); }

bool KnownLibraries::is_module_class(const std::string& path) const {
  return lint::is_module_class(path);
}

Value KnownLibraries::call(Interpreter& in, const std::string& path, const Invocation& call) const {
  return call_library(in, path, call);
}

Value KnownLibraries::call_object(Interpreter& in, const Value& object,
                                  const Invocation& call) const {
  return as<Module>(object) ? call_module(in, object, call) : call_thing(in, object, call);
}

Value KnownLibraries::call_method(Interpreter& in, const Value& object, const std::string& name,
                                  const Invocation& call) const {
  return lint::call_method(in, object, name, call);
}

Value KnownLibraries::attribute(Interpreter& in, const Value& object, const std::string& name,
                                const Place& place) const {
  if (as<Module>(object)) return module_attribute(in, object, name, place);
  if (as<Thing>(object)) return thing_attribute(in, object, name);
  if (facts_of(object)) return tensor_attribute(in, object, name);
  if (const auto* found = as<DeviceValue>(object))
    return device_attribute(found->device, object, name);
  if (const auto* array = as<Array>(object)) return array_attribute(*array, object, name);
  if (const auto* word = as<Text>(object); word && word->path) return path_attribute(*word, name);
  if (as<Slice>(object) || as<None>(object)) return unknown();
  return std::make_shared<Bound>(object, name);
}

void KnownLibraries::set_attribute(Interpreter& in, const Value& object, const std::string& name,
                                   const Value& value, const Place& place) const {
  if (auto* module = as<Module>(object)) {
    set_module_attribute(in, *module, name, value, place);
  } else if (auto* thing = as<Thing>(object)) {
    set_thing_attribute(*thing, name, value);
  } else if (auto* target = as<Tensor>(object)) {
    if (name == "data") replace_data(in, *target, value, place);
    if (name == "requires_grad" && in.truth(value) == std::optional(false))
      target->parameter = false;
  }
}

Value KnownLibraries::subscript(Interpreter& in, const Value& object, const Value& index,
                                const Place& place) const {
  if (as<Tensor>(object)) return index_tensor(in, object, index, place);
  if (auto* bundle = as<Bundle>(object)) return index_bundle(*bundle, index);
  if (as<Module>(object)) return index_module(in, object, index, place);
  if (const auto* array = as<Array>(object)) return index_array(*array, index);
  if (const auto* thing = as<Thing>(object)) return index_thing(*thing, index);
  return unknown();
}

void KnownLibraries::set_subscript(Interpreter& in, const Value& object, const Value& index,
                                   const Value& value, const Place& place) const {
  if (as<Tensor>(object)) {
    store_in_tensor(in, object, index, value, place);
  } else if (auto* bundle = as<Bundle>(object)) {
    store_in_bundle(*bundle, value);
  } else if (const auto* thing = as<Thing>(object)) {
    if (thing->what == Thing::What::kEnvironment) set_environment(in, index, value, place);
  } else if (auto* module = as<Module>(object)) {
    const auto* key = as<Text>(index);
    if (key && key->exact()) set_module_attribute(in, *module, key->text, value, place);
    const auto* at = as<Number>(index);
    if (at && at->value)
      set_module_attribute(in, *module, fmt::format("{}", *at->value), value, place);
  }
}

Value KnownLibraries::unary(Interpreter& in, const std::string& op, const Value& value) const {
  (void)op;
  if (as<Tensor>(value)) return tensor_method(in, value, "neg", {});
  return as<Array>(value) ? value : unknown();
}

Value KnownLibraries::binary(Interpreter& in, const std::string& op, const Value& left,
                             const Value& right, const Place& place) const {
  if (facts_of(left) || facts_of(right)) return tensor_binary(in, op, left, right, place);
  if (as<Array>(left) || as<Array>(right)) return array_binary(op, left, right);
  if (const auto* a = as<Number>(left)) {
    if (const auto* b = as<Number>(right)) return number_binary(op, *a, *b);
    if (as<Sequence>(right) && op == "*") return binary(in, op, right, left, place);
  }
  if (const auto* a = as<Text>(left)) return text_binary(op, *a, right);
  if (const auto* b = as<Text>(right); b && b->path && op == "/") {
    auto made = std::make_shared<Text>("\x01/" + b->text);
    made->place = b->place;
    made->path = true;
    return made;
  }
  if (auto* a = as<Sequence>(left)) {
    auto made = std::make_shared<Sequence>(*a);
    const auto* times = as<Number>(right);
    if (op == "*" && times) {
      if (!times->value || *times->value > 16) made->open = true;
      for (double i = 1; times->value && i < std::min(*times->value, 16.0); ++i)
        made->items.insert(made->items.end(), a->items.begin(), a->items.end());
    } else if (const auto* b = as<Sequence>(right)) {
      made->items.insert(made->items.end(), b->items.begin(), b->items.end());
      made->open = made->open || b->open;
    } else {
      made->open = true;
    }
    return made;
  }
  if (auto* a = as<Dict>(left); a && op == "|") {
    auto made = std::make_shared<Dict>(*a);
    if (auto* b = as<Dict>(right))
      for (auto& [name, value] : b->entries.all()) made->entries.set(name, value);
    return made;
  }
  return unknown();
}

Value KnownLibraries::item_of(Interpreter& in, const Value& value) const {
  if (auto* bundle = as<Bundle>(value)) {
    if (bundle->use != Bundle::Use::kOutput) return text("\x01");
    return std::make_shared<Bundle>(*bundle);
  }
  if (const auto* whole = as<Tensor>(value)) {
    Facts facts = whole->facts;
    facts.shape = index_shape(facts.shape, number(std::nullopt));
    return tensor(std::move(facts));
  }
  if (const auto* array = as<Array>(value)) return index_array(*array, number(std::nullopt));
  if (auto* module = as<Module>(value); module && module->opaque)
    return module_attribute(in, value, "\x01item", {});
  if (const auto* thing = as<Thing>(value); thing && thing->what == Thing::What::kImage)
    return value;
  if (const auto* open = as<Unknown>(value))
    return unknown(open->key.empty() ? "" : open->key + "[]");
  if (const auto* instance = as<Instance>(value)) {
    if (as<Function>(class_member(instance->type, "__getitem__")))
      return in.subscript(value, number(std::nullopt), {});
  }
  return unknown();
}

void KnownLibraries::settle(Interpreter& in, Module& module, const Device& device) const {
  Move move{.device = device, .type = {}};
  move.type_unknown = true;
  move_module(in, module, move, {});
}

void KnownLibraries::let_go(Interpreter& in, const Invocation& call) const {
  lint::let_go(in, call);
}

}  // namespace sinter::lint
