#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sinter/base/shape.h"
#include "sinter/graph/onnx_model.h"

namespace sinter::graph {

/// Values of dynamic dimensions by symbol.
using Symbols = std::map<std::string, std::int64_t, std::less<>>;

/// A dynamic extent as ONNX files spell it: a number, a symbol, or products and quotients of them
/// from left to right, quotients rounded up ("8*height", "height*width/4"). Nothing when a symbol
/// is unknown.
std::optional<std::int64_t> evaluate_extent(std::string_view text, const Symbols& symbols);

/// The declared shape with numbers for its symbols. Nothing when one is unknown.
std::optional<Shape> evaluate_shape(const ValueDeclaration& declared, const Symbols& symbols);

}  // namespace sinter::graph
