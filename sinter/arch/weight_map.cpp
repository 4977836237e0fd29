#include "sinter/arch/weight_map.h"

#include <utility>

namespace sinter::arch {

Shape logical_shape(const WeightSource& source) {
  Shape shape = source.tensor->shape;
  if (source.rows >= 0 && !shape.empty()) shape[0] = source.rows;
  if (source.transposed && shape.size() == 2) std::swap(shape[0], shape[1]);
  return shape;
}

}  // namespace sinter::arch
