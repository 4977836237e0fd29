#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sinter {

/// Extents of a tensor, outermost first; empty for a scalar.
using Shape = std::vector<std::int64_t>;

/// Product of the extents (1 for a scalar).
/// @throws Error{kBadFile} when an extent is negative or the product exceeds int64.
std::int64_t element_count(const Shape& shape);

/// "[320,4,3,3]".
std::string to_string(const Shape& shape);

}  // namespace sinter
