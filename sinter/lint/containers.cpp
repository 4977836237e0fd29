#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sinter/lint/library.h"
#include "sinter/lint/tensors.h"

namespace sinter::lint {
namespace {

constexpr std::size_t kMostItems = 64;  // that a list is followed to

void append(Interpreter& in, const Value& self, const Value& value, const Invocation& call) {
  auto& list = *as<Sequence>(self);
  if (!facts_of(value) && !as<Number>(value) && !as<Text>(value)) in.may_hold_itself(self);
  if (list.items.size() < kMostItems) {
    list.items.push_back(value);
  } else {
    list.open = true;
  }
  // Inside a loop whose turns are not all read there are more of them.
  for (std::size_t i = static_cast<std::size_t>(list.loop_depth); i < in.state.loops.size(); ++i)
    list.open = list.open || !in.state.loops[i].exact;
  note_container_module(list.attribute, list.attribute_name, value);
  watch_kept(in, self, value, call.place);
}

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

Value mark_attribute(const Sequence& sequence, const Value& item) {
  return marked(sequence.attribute, sequence.attribute_name, item);
}

Value mark_attribute(const Dict& dict, const Value& item) {
  return marked(dict.attribute, dict.attribute_name, item);
}

void watch_kept(Interpreter& in, const Value& container, const Value& value, const Place& place) {
  const auto* list = as<Sequence>(container);
  const auto* dict = as<Dict>(container);
  const int made_in = list ? list->loop_depth : dict ? dict->loop_depth : 0;
  if (static_cast<int>(in.state.loops.size()) <= made_in || in.state.forward_depth > 0) return;
  std::vector<Facts*> all;
  gather_facts(value, all);
  for (const Facts* facts : all) {
    if (!facts->device.is_accelerator() || !facts->computed || facts->shape.surely_scalar())
      continue;
    if (in.kept_findings.contains(container.get())) return;
    in.kept.push_back(container);
    in.kept_findings[container.get()] = {
        .rule = Rule::kGpuResultsKept,
        .place = place,
        .use = {},
        .message = fmt::format(
            "every turn of the loop keeps one more result on {}{}; keep x.detach().cpu()",
            to_string(facts->device), facts->recorded.empty() ? "" : " together with its graph"),
        .edit = {}};
    return;
  }
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

Value sequence_method(Interpreter& in, const Value& self, const std::string& name,
                      const Invocation& call) {
  auto& list = *as<Sequence>(self);
  if (name == "append" || name == "add" || name == "appendleft") {
    const Value value = call.get(0, "object");
    if (value) append(in, self, value, call);
    return none();
  }
  if (name == "extend" || name == "update") {
    const bool all = in.iterate(call.get(0, "iterable"),
                                [&](const Value& item) { append(in, self, item, call); });
    list.open = list.open || !all;
    return none();
  }
  if (name == "insert") {
    if (const Value value = call.get(1, "object")) append(in, self, value, call);
    return none();
  }
  if (name == "pop" || name == "popleft") {
    if (list.items.empty()) return unknown();
    const bool front = name == "popleft" || !call.arguments.empty();
    const Value item = front ? list.items.front() : list.items.back();
    if (!list.open) {
      if (front) {
        list.items.erase(list.items.begin());
      } else {
        list.items.pop_back();
      }
    }
    return mark_attribute(list, item);
  }
  if (name == "clear") {
    list.items.clear();
    list.open = false;
    return none();
  }
  if (name == "index" || name == "count" || name == "numel") return number(std::nullopt);
  if (name == "copy") return std::make_shared<Sequence>(list);
  return none();
}

Value dict_method(Interpreter& in, const Value& self, const std::string& name,
                  const Invocation& call) {
  auto& dict = *as<Dict>(self);
  if (name == "get" || name == "pop" || name == "setdefault") {
    const auto* key = as<Text>(call.get(0, "key"));
    const Value fallback = call.get(1, "default");
    if (key && key->exact()) {
      if (const Value* found = dict.entries.find(key->text)) {
        const Value value = *found;
        if (name == "pop") dict.entries.erase(key->text);
        return mark_attribute(dict, value);
      }
      if (dict.others.empty()) {
        if (name == "setdefault" && fallback) dict.entries.set(key->text, fallback);
        return fallback ? fallback : none();
      }
    }
    if (dict.entries.empty() && dict.others.empty()) return fallback ? fallback : none();
    return in.subscript(self, call.get(0, "key"), call.place);
  }
  if (name == "items" || name == "values") {
    auto made = std::make_shared<Sequence>(Sequence::Type::kList);
    made->open = !dict.others.empty();
    for (auto& [key, value] : dict.entries.all()) {
      const Value item = mark_attribute(dict, value);
      made->items.push_back(name == "items" ? tuple({text(key), item}) : item);
    }
    for (std::size_t i = 0; i < std::min<std::size_t>(dict.others.size(), 2); ++i) {
      const Value item = mark_attribute(dict, dict.others[i]);
      made->items.push_back(name == "items" ? tuple({text("\x01"), item}) : item);
    }
    return made;
  }
  if (name == "keys") {
    auto made = std::make_shared<Sequence>(Sequence::Type::kList);
    for (auto& [key, value] : dict.entries.all()) made->items.push_back(text(key));
    made->open = !dict.others.empty();
    return made;
  }
  if (name == "update") {
    for (const Argument& argument : call.arguments) {
      if (!argument.name.empty()) {
        dict.entries.set(argument.name, argument.value);
      } else if (auto* other = as<Dict>(argument.value)) {
        for (auto& [key, value] : other->entries.all()) dict.entries.set(key, value);
        dict.others.insert(dict.others.end(), other->others.begin(), other->others.end());
      } else {
        dict.others.push_back(unknown());
      }
    }
    return none();
  }
  if (name == "copy") return std::make_shared<Dict>(dict);
  if (name == "clear") {
    dict.entries.all().clear();
    dict.others.clear();
  }
  return none();
}

}  // namespace sinter::lint
