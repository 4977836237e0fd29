#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/check/subject.h"

namespace sinter::check {

/// A value of which only the shape is followed, and the numbers where it holds sizes.
struct Sketch {
  std::vector<std::int64_t> shape;
  std::optional<std::vector<double>> numbers;  // row-major; of small tensors only
  bool integer = true;                         // of the numbers
};

/// Where shapes do not fit together.
struct Conflict {
  Place place;
  std::string what;  // "joins 87 and 88 along dimension 2"
};

/// Follows shapes through a graph at given input sizes, as an engine would find them: no numbers
/// of weights are read and nothing is computed but sizes.
///
/// What cannot be followed (an operator that is not known here, a size that depends on data) is
/// unknown, and so is what depends on it: the walk finds conflicts, it does not prove their
/// absence.
class ShapeRun {
 public:
  explicit ShapeRun(const Subject& subject) : subject_(subject) {}

  /// sizes: shape of each input, by name; inputs that are not there are unknown.
  std::optional<Conflict> run(const std::map<std::string, std::vector<std::int64_t>>& sizes);

  /// After run(): what is known of a value, or null.
  const Sketch* find(std::string_view value) const;

 private:
  const Subject& subject_;
  std::map<std::string_view, Sketch> known_;
};

}  // namespace sinter::check
