#include "sinter/lint/values/containers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sinter/lint/library/library.h"

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
  in.watch_kept(self, value, call.place);
}

}  // namespace

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
