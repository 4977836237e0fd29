#pragma once

#include <string_view>

namespace sinter::graph {

/// Whether an operator only moves elements or changes their type: its result is no computation, so
/// that the type it is in says nothing about what a graph computes in.
bool moves_data(std::string_view op);

}  // namespace sinter::graph
