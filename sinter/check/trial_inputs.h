#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sinter/graph/onnx_outline.h"

namespace sinter::check {

/// Shapes of all inputs at which a graph is likely to run, small ones first; those whose shapes are
/// known not to fit together are left out. Empty: the file does not say enough.
std::vector<std::map<std::string, std::vector<std::int64_t>>> trial_inputs(
    const graph::Outline& file);

}  // namespace sinter::check
