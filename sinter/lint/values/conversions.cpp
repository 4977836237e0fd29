#include "sinter/lint/values/conversions.h"

#include "sinter/lint/values/thing.h"

namespace sinter::lint {

std::optional<Device> device_of(const Value& value) {
  if (const auto* found = as<DeviceValue>(value)) return found->device;
  if (const auto* found = as<Text>(value)) return parse_device(found->text);
  if (const auto* found = as<Number>(value); found && found->integer && !found->boolean)
    return Device::cuda(found->value ? static_cast<int>(*found->value) : Device::kUnknownIndex);
  if (const auto* found = as<Unknown>(value))
    return found->key.empty() ? Device{} : Device::symbol(found->key);
  if (const auto* found = as<Thing>(value); found && found->what == Thing::What::kAccelerator)
    return found->device;
  return std::nullopt;
}

std::optional<DType> type_of(const Value& value) {
  const auto* found = as<TypeValue>(value);
  return found ? found->type : std::nullopt;
}

}  // namespace sinter::lint
