#pragma once

#include <optional>

#include "sinter/lint/values/value.h"

namespace sinter::lint {

/// The device that a value names; empty for None and what names none.
std::optional<Device> device_of(const Value& value);

/// The element type that a value names; empty when it names none or one that is not known.
std::optional<DType> type_of(const Value& value);

}  // namespace sinter::lint
