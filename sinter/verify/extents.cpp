#include "sinter/verify/extents.h"

namespace sinter::verify {

Symbols bind_symbols(const std::vector<graph::ValueDeclaration>& declared,
                     const runtime::TensorMap& inputs) {
  Symbols symbols;
  for (const graph::ValueDeclaration& input : declared) {
    const auto given = inputs.find(input.name);
    if (given == inputs.end()) continue;
    const Shape& shape = given->second.shape();
    if (shape.size() != input.shape.size()) continue;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (!input.symbols[axis].empty()) symbols.emplace(input.symbols[axis], shape[axis]);
    }
  }
  return symbols;
}

}  // namespace sinter::verify
