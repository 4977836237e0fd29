#pragma once

#include <string_view>

#include "sinter/graph/onnx_model.h"

namespace sinter::runtime {

/// Whether words hold a name as a whole, not as a part of a longer one.
bool names(std::string_view words, std::string_view name);

/// Throws what an engine said as Error{kRuntime}, naming the module where the words hold the name
/// of one of the model's nodes.
///
/// engine: its name; doing: "compiling" or "running".
[[noreturn]] void throw_engine_error(std::string_view engine, std::string_view doing,
                                     const graph::OnnxModel& model, std::string_view words);

}  // namespace sinter::runtime
