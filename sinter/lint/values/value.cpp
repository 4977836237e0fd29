#include "sinter/lint/values/value.h"

#include <algorithm>
#include <map>

#include "sinter/lint/values/callable.h"
#include "sinter/lint/values/data.h"
#include "sinter/lint/values/module.h"

namespace sinter::lint {
namespace {

using Copies = std::map<const Object*, Value>;

Value copy(const Value& value, Copies& done);

void copy_names(Names& names, Copies& done) {
  for (auto& [name, value] : names.all()) value = copy(value, done);
}

void copy_all(std::vector<Value>& values, Copies& done) {
  for (Value& value : values) value = copy(value, done);
}

template <class T>
std::shared_ptr<T> start(const T& original, Copies& done) {
  auto made = std::make_shared<T>(original);
  done[&original] = made;
  return made;
}

Value copy(const Value& value, Copies& done) {
  if (!value) return value;
  if (const auto found = done.find(value.get()); found != done.end()) return found->second;
  if (const auto* original = as<Tensor>(value)) return start(*original, done);
  if (const auto* original = as<Bundle>(value)) return start(*original, done);
  if (const auto* original = as<Array>(value)) return start(*original, done);
  if (const auto* original = as<Module>(value)) {
    const auto made = start(*original, done);
    copy_names(made->members, done);
    return made;
  }
  if (const auto* original = as<Sequence>(value)) {
    const auto made = start(*original, done);
    copy_all(made->items, done);
    return made;
  }
  if (const auto* original = as<Dict>(value)) {
    const auto made = start(*original, done);
    copy_names(made->entries, done);
    copy_all(made->others, done);
    return made;
  }
  if (const auto* original = as<Instance>(value)) {
    const auto made = start(*original, done);
    copy_names(made->attributes, done);
    return made;
  }
  return value;
}

}  // namespace

Value* Names::find(std::string_view name) {
  for (auto& [key, value] : entries_)
    if (key == name) return &value;
  return nullptr;
}

void Names::set(std::string_view name, Value value) {
  if (Value* old = find(name)) {
    *old = std::move(value);
  } else {
    entries_.emplace_back(name, std::move(value));
  }
}

void Names::erase(std::string_view name) {
  std::erase_if(entries_, [&](const auto& entry) { return entry.first == name; });
}

Value unknown(std::string key) { return std::make_shared<Unknown>(std::move(key)); }

Value none() { return std::make_shared<None>(); }

Value number(std::optional<double> value, bool integer) {
  return std::make_shared<Number>(value, integer);
}

Value boolean(std::optional<bool> value) {
  auto made = std::make_shared<Number>(std::nullopt, true);
  if (value) made->value = *value ? 1 : 0;
  made->boolean = true;
  return made;
}

Value boolean_or_unknown(std::optional<bool> value) { return value ? boolean(value) : unknown(); }

Value text(std::string value) { return std::make_shared<Text>(std::move(value)); }

Value device_value(Device device) { return std::make_shared<DeviceValue>(std::move(device)); }

Value type_value(std::optional<DType> type) { return std::make_shared<TypeValue>(type); }

Value tensor(Facts facts) { return std::make_shared<Tensor>(std::move(facts)); }

Value tuple(std::vector<Value> items) {
  return std::make_shared<Sequence>(Sequence::Type::kTuple, std::move(items));
}

Value list(std::vector<Value> items) {
  return std::make_shared<Sequence>(Sequence::Type::kList, std::move(items));
}

Facts* facts_of(const Value& value) {
  if (auto* found = as<Tensor>(value)) return &found->facts;
  if (auto* found = as<Bundle>(value)) return &found->facts;
  return nullptr;
}

Value deep_copy(const Value& value) {
  Copies done;
  return copy(value, done);
}

}  // namespace sinter::lint
