#pragma once

#include <vector>

#include "sinter/graph/extents.h"
#include "sinter/runtime/session.h"

namespace sinter::verify {

using graph::evaluate_extent;
using graph::evaluate_shape;
using graph::Symbols;

/// The symbols that inputs of these shapes give to a graph's declarations.
Symbols bind_symbols(const std::vector<graph::ValueDeclaration>& declared,
                     const runtime::TensorMap& inputs);

}  // namespace sinter::verify
