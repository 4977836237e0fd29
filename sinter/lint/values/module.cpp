#include "sinter/lint/values/module.h"

#include "sinter/lint/values/callable.h"

namespace sinter::lint {

SourcePtr module_source(Module& module) {
  auto source = std::make_shared<Source>();
  source->kind = SourceKind::kModule;
  source->place = module.place;
  source->expr = module.created;
  source->module = module.shared_from_this();
  const auto* type = as<Class>(module.type);
  source->what = type ? type->name : module.library;
  return source;
}

std::vector<std::pair<std::string, Value>> module_items(Module& module) {
  std::vector<std::pair<std::string, Value>> all;
  for (const auto& [name, value] : module.members.all()) {
    const auto role = module.roles.find(name);
    if (role != module.roles.end() && role->second == Module::Role::kChild)
      all.emplace_back(name, value);
  }
  return all;
}

}  // namespace sinter::lint
