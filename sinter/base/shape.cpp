#include "sinter/base/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sinter/base/error.h"

namespace sinter {

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count)) {
      throw Error(ErrorCode::kBadFile,
                  fmt::format("the shape {} has no valid element count", to_string(shape)));
    }
  }
  return count;
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ",")); }

}  // namespace sinter
