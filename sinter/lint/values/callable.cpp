#include "sinter/lint/values/callable.h"

namespace sinter::lint {

Value class_member(const Value& type, const std::string& name) {
  auto* own = as<Class>(type);
  if (own == nullptr) return nullptr;
  if (Value* found = own->members.find(name)) return *found;
  for (const Value& base : own->bases)
    if (Value found = class_member(base, name)) return found;
  return nullptr;
}

}  // namespace sinter::lint
