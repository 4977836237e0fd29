#pragma once

#include <cstddef>
#include <span>

#include "sinter/base/dtype.h"

namespace sinter::weights {

/// Whether any of the elements is NaN or infinite; never for integer types.
///
/// values: little-endian, any alignment; a last incomplete element is not looked at.
bool has_non_finite(std::span<const std::byte> values, DType dtype);

}  // namespace sinter::weights
