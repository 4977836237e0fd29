#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sinter/lint/syntax/place.h"

namespace sinter::lint {

/// One extent; its place is the number in the script that decided it.
struct Dim {
  std::optional<std::int64_t> extent = {};
  Place place = {};
};

/// What is known of a tensor's shape.
struct TensorShape {
  /// Empty: not even the rank is known.
  std::optional<std::vector<Dim>> dims = {};
  /// Without a rank: whether it may be a tensor of no dimension.
  bool may_be_scalar = false;

  static TensorShape scalar() { return {.dims = std::vector<Dim>{}}; }
  static TensorShape of_rank(std::size_t rank) { return {.dims = std::vector<Dim>(rank)}; }
  /// Nothing but that there is a dimension.
  static TensorShape some() { return {}; }
  static TensorShape anything() { return {.dims = {}, .may_be_scalar = true}; }

  std::optional<std::size_t> rank() const {
    return dims ? std::optional(dims->size()) : std::nullopt;
  }
  bool surely_scalar() const { return dims && dims->empty(); }
  bool maybe_scalar() const { return dims ? dims->empty() : may_be_scalar; }
};

/// Broadcast of two shapes.
TensorShape broadcast(const TensorShape& a, const TensorShape& b);

}  // namespace sinter::lint
