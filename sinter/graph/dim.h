#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sinter/base/shape.h"

namespace sinter::graph {

/// One extent of a value: a number, or an expression over the graph's dynamic dimensions.
///
/// An expression is factor * base / divisor, rounded up, where the base is a symbol ("height") or a
/// product of extents ("height*width"). Two extents are the same when they are written the same.
class Dim {
 public:
  // Not explicit: {batch, 4, height, width} reads as the shape it is.
  Dim(std::int64_t value) : factor_(value) {}

  /// A dynamic dimension of the graph's interface.
  static Dim symbol(std::string name);

  bool is_static() const { return base_.empty(); }

  /// The number; only of a static extent.
  std::int64_t value() const { return factor_; }

  /// As value_info spells it: "4", "height", "8*height", "height/4", "height*width".
  std::string text() const;

  Dim times(std::int64_t factor) const;
  Dim times(const Dim& other) const;

  /// This extent over divisor, rounded up.
  Dim divided(std::int64_t divisor) const;

  friend bool operator==(const Dim&, const Dim&) = default;

 private:
  std::string base_;
  std::int64_t factor_ = 1;
  std::int64_t divisor_ = 1;
};

using Dims = std::vector<Dim>;

using sinter::to_string;

/// "[batch,4,height,width]".
std::string to_string(const Dims& dims);

}  // namespace sinter::graph
