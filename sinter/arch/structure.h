#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/arch/weight_map.h"

namespace sinter::arch {

/// More blocks than this under one parent are no network that anyone trains; a forged name must not
/// make us count to a million.
inline constexpr int kMaxLevels = 12;
inline constexpr int kMaxResnets = 24;
inline constexpr int kMaxDepth = 32;
inline constexpr int kMaxLayers = 96;

/// One more than the largest number that follows `prefix` in the names, 0 where none does. Numbers
/// from `limit` on are not counted.
int count_children(const WeightMap& weights, std::string_view prefix, int limit);

bool has_below(const WeightMap& weights, std::string_view prefix);

/// Extent of one axis of a weight, 0 where the weight or the axis is not there: a file that lacks
/// tensors can still be read as far as it goes.
std::int64_t extent(const WeightMap& weights, std::string_view name, std::size_t axis);

/// A weight that a network of a known configuration has.
struct ExpectedTensor {
  std::string name;     // canonical
  Shape shape;          // an extent of 0 is not known
  bool matrix = false;  // trailing extents of 1 do not matter: a 1x1 convolution is a matrix
};

/// Collects expected tensors the way modules are built.
class Expected {
 public:
  void add(std::string name, Shape shape, bool matrix = false) {
    tensors_.push_back({std::move(name), std::move(shape), matrix});
  }
  /// weight [out,in], bias [out] under a module's name.
  void linear(const std::string& module, std::int64_t out, std::int64_t in, bool bias = true,
              bool matrix = false);
  /// weight [out,in,kernel,kernel], bias [out].
  void conv(const std::string& module, std::int64_t out, std::int64_t in, std::int64_t kernel);
  /// weight [width], bias [width].
  void norm(const std::string& module, std::int64_t width);

  std::vector<ExpectedTensor> take() { return std::move(tensors_); }

 private:
  std::vector<ExpectedTensor> tensors_;
};

/// "[320,?,3,3]": an extent of 0 is written as what it is, unknown.
std::string open_shape(const Shape& shape);

/// What a component lacks, and what in it has another shape.
struct Deviations {
  std::vector<ExpectedTensor> missing;
  std::vector<std::string> wrong;  // "'NAME' is [..], expected [..]", NAME as in the file
};

Deviations compare(const WeightMap& weights, const std::vector<ExpectedTensor>& expected);

}  // namespace sinter::arch
