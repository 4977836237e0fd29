#pragma once

#include <optional>

#include "sinter/lint/values/facts.h"

namespace sinter::lint {

/// The type of an operation on two tensors (PyTorch's promotion).
std::optional<DType> promote(const Facts& a, const Facts& b);
bool is_floating(std::optional<DType> type);

}  // namespace sinter::lint
