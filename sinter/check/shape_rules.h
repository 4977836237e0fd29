#pragma once

#include "sinter/check/shape_ops.h"

namespace sinter::check {

/// What one shape rule gives.
using Results = std::vector<std::optional<Sketch>>;

/// One row per operator that shapes are followed through.
struct ShapeRow {
  std::string_view op;
  ShapeRule rule;
};

/// Of shape_math.cpp, shape_moves.cpp, shape_cuts.cpp and shape_layers.cpp.
std::vector<ShapeRow> math_rules();
std::vector<ShapeRow> move_rules();
std::vector<ShapeRow> cut_rules();
std::vector<ShapeRow> layer_rules();

// What rules share.

/// Numbers of a sketch as sizes; nothing where they are unknown.
std::optional<std::vector<std::int64_t>> sizes_of(const Sketch* sketch);

/// An attribute's integers, or the numbers of an operand where newer opsets have them; nothing
/// where neither is known.
std::optional<std::vector<std::int64_t>> integers(const graph::OutlineNode& node,
                                                  std::string_view attribute,
                                                  const Operands& operands, std::size_t operand);

/// Product of the extents; nothing beyond 2^53.
std::optional<std::int64_t> volume(const std::vector<std::int64_t>& shape);

/// An axis that counts from the end where it is negative.
/// @throws Misfit beyond the rank.
std::size_t axis_of(std::int64_t axis, std::size_t rank);

/// The shape that two broadcast to.
/// @throws Misfit where they do not.
std::vector<std::int64_t> broadcast(const std::vector<std::int64_t>& a,
                                    const std::vector<std::int64_t>& b);

/// "[1,4,64,64]".
std::string shape_text(const std::vector<std::int64_t>& shape);

/// Operand i, or null.
const Sketch* operand(const Operands& operands, std::size_t i);

}  // namespace sinter::check
