#include "sinter/lint/values/containers.h"

#include <algorithm>

#include "sinter/lint/values/module.h"

namespace sinter::lint {
namespace {

/// A tensor from an attribute that is a plain list or dict is blamed on the attribute.
Value marked(const Place& attribute, const std::string& name, const Value& item) {
  const auto* held = as<Tensor>(item);
  if (!attribute.known() || held == nullptr || !held->facts.device.is_cpu()) return item;
  auto made = std::make_shared<Tensor>(*held);
  auto source = std::make_shared<Source>();
  if (held->facts.source) source->expr = nullptr;
  source->kind = SourceKind::kAttribute;
  source->place = attribute;
  source->name = name;
  made->facts.source = source;
  return made;
}

}  // namespace

void gather_facts(const Value& value, std::vector<Facts*>& into, int depth) {
  constexpr int kDeepest = 6;  // a list may hold itself
  if (depth > kDeepest) return;
  if (Facts* facts = facts_of(value)) {
    into.push_back(facts);
  } else if (const auto* several = as<Sequence>(value)) {
    for (const Value& item : several->items) gather_facts(item, into, depth + 1);
  } else if (auto* dict = as<Dict>(value)) {
    for (auto& [name, item] : dict->entries.all()) gather_facts(item, into, depth + 1);
    for (const Value& item : dict->others) gather_facts(item, into, depth + 1);
  }
}

Value mark_attribute(const Sequence& sequence, const Value& item) {
  return marked(sequence.attribute, sequence.attribute_name, item);
}

Value mark_attribute(const Dict& dict, const Value& item) {
  return marked(dict.attribute, dict.attribute_name, item);
}

Value slice_sequence(const Sequence& sequence, const Slice& slice) {
  auto made = std::make_shared<Sequence>(sequence);
  const auto bound = [&](const Value& value, std::size_t usual) -> std::optional<std::size_t> {
    if (!value || as<None>(value)) return usual;
    const auto* digits = as<Number>(value);
    if (!digits || !digits->value) return std::nullopt;
    const auto size = static_cast<double>(sequence.items.size());
    const double at = *digits->value < 0 ? size + *digits->value : *digits->value;
    return static_cast<std::size_t>(std::clamp(at, 0.0, size));
  };
  const auto begin = bound(slice.lower, 0);
  const auto end = bound(slice.upper, sequence.items.size());
  if (!begin || !end || sequence.open || slice.step) {
    made->open = true;
    return made;
  }
  made->items.clear();
  for (std::size_t i = *begin; i < *end; ++i) made->items.push_back(sequence.items[i]);
  return made;
}

/// A module kept in a list or dict attribute of another.
void hide_modules(const Value& container, const Place& place, const std::string& name, int depth) {
  if (depth > 3) return;
  const auto note = [&](const Value& value) {
    auto* module = as<Module>(value);
    if (as<Sequence>(value) || as<Dict>(value)) hide_modules(value, place, name, depth + 1);
    if (module == nullptr || module->plain_container.known()) return;
    module->plain_container = place;
    module->plain_name = "self." + name;
  };
  if (auto* several = as<Sequence>(container)) {
    several->attribute = place;
    several->attribute_name = name;
    for (const Value& item : several->items) note(item);
  } else if (auto* dict = as<Dict>(container)) {
    dict->attribute = place;
    dict->attribute_name = name;
    for (auto& [key, item] : dict->entries.all()) note(item);
    for (const Value& item : dict->others) note(item);
  }
}

void note_container_module(const Place& attribute, const std::string& name, const Value& value) {
  if (!attribute.known()) return;
  if (auto* module = as<Module>(value); module && !module->plain_container.known()) {
    module->plain_container = attribute;
    module->plain_name = "self." + name;
  }
}

}  // namespace sinter::lint
