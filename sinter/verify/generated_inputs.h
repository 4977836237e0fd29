#pragma once

#include <vector>

#include "sinter/graph/onnx_model.h"
#include "sinter/runtime/session.h"
#include "sinter/verify/extents.h"

namespace sinter::verify {

/// Inputs for a graph when there is no reference case: the same at every call.
///
/// Values are normal (mean 0, deviation 1), except timesteps (0..999), sizes (0..1024) and token
/// ids (0..999). Dynamic extents: batch 2, sequence 77, height and width 16, others 1.
/// `extents` overrides the dynamic ones by symbol.
runtime::TensorMap generated_inputs(const std::vector<graph::ValueDeclaration>& declared,
                                    const Symbols& extents = {});

}  // namespace sinter::verify
