#include "sinter/lint/values/callable.h"

#include <algorithm>
#include <array>

namespace sinter::lint {

bool has_foreign_base(const Value& type) {
  const auto* own = as<Class>(type);
  if (own == nullptr) return false;
  for (const Value& base : own->bases) {
    if (as<Unknown>(base) || has_foreign_base(base)) return true;
    const auto* library = as<Library>(base);
    if (library == nullptr) continue;
    const std::string root = library->path.substr(0, library->path.find('.'));
    static constexpr std::array kPlain{"builtins", "abc",         "typing",     "enum",
                                       "torch",    "collections", "contextlib", "threading"};
    if (std::find(kPlain.begin(), kPlain.end(), root) == kPlain.end()) return true;
  }
  return false;
}

Value class_member(const Value& type, const std::string& name) {
  auto* own = as<Class>(type);
  if (own == nullptr) return nullptr;
  if (Value* found = own->members.find(name)) return *found;
  for (const Value& base : own->bases)
    if (Value found = class_member(base, name)) return found;
  return nullptr;
}

}  // namespace sinter::lint
