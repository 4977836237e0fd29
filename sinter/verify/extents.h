#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/base/shape.h"
#include "sinter/graph/onnx_model.h"
#include "sinter/runtime/session.h"

namespace sinter::verify {

/// Values of dynamic dimensions by symbol.
using Symbols = std::map<std::string, std::int64_t, std::less<>>;

/// The symbols that inputs of these shapes give to a graph's declarations.
Symbols bind_symbols(const std::vector<graph::ValueDeclaration>& declared,
                     const runtime::TensorMap& inputs);

/// A dynamic extent as ONNX files spell it: a number, a symbol, or products and quotients of them
/// from left to right, quotients rounded up ("8*height", "height*width/4"). Nothing when a symbol
/// is unknown.
std::optional<std::int64_t> evaluate_extent(std::string_view text, const Symbols& symbols);

/// The declared shape with numbers for its symbols. Nothing when one is unknown.
std::optional<Shape> evaluate_shape(const graph::ValueDeclaration& declared,
                                    const Symbols& symbols);

}  // namespace sinter::verify
