#include "sinter/lint/values/shape.h"

#include <utility>

namespace sinter::lint {

TensorShape broadcast(const TensorShape& a, const TensorShape& b) {
  if (!a.dims || !b.dims)
    return {.dims = {}, .may_be_scalar = a.maybe_scalar() && b.maybe_scalar()};
  const bool a_longer = a.dims->size() >= b.dims->size();
  TensorShape out = a_longer ? a : b;
  const std::vector<Dim>& other = a_longer ? *b.dims : *a.dims;
  const std::size_t shift = out.dims->size() - other.size();
  for (std::size_t i = 0; i < other.size(); ++i) {
    Dim& dim = (*out.dims)[shift + i];
    if (!dim.extent || !other[i].extent) {
      if (dim.extent != std::optional<std::int64_t>(1) && dim.extent) continue;
      dim = other[i].extent == std::optional<std::int64_t>(1) ? Dim{} : other[i];
    } else if (*dim.extent == 1) {
      dim = other[i];
    }
  }
  return out;
}

}  // namespace sinter::lint
