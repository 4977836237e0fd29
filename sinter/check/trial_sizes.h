#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sinter/check/subject.h"

namespace sinter::check {

enum class Axis { kBatch, kHeight, kWidth, kTokens, kOther };

/// A free size of the graph's inputs: a symbol such as "height", or the dimensions without a name
/// that play one part.
struct FreeSize {
  std::string name;  // for messages
  Axis axis;
  std::int64_t usual;
  std::int64_t unit;  // pixels that make one latent, where it counts pixels; else 1
};

/// The free sizes of a graph and the shapes that its inputs have for given values of them.
class TrialSizes {
 public:
  explicit TrialSizes(const Subject& subject);

  /// Whether the sizes of all inputs follow from the free sizes. Not so where several pictures come
  /// in whose sizes have unrelated names.
  bool known() const { return known_; }

  const std::vector<FreeSize>& free() const { return free_; }

  /// Usual values, by index into free().
  std::vector<std::int64_t> usual() const;

  std::map<std::string, std::vector<std::int64_t>> shapes(
      const std::vector<std::int64_t>& values) const;

 private:
  struct Term {  // a number, or factor * value / divisor rounded up
    std::int64_t factor = 1;
    std::int64_t divisor = 1;
    std::optional<std::size_t> free = {};
  };

  Term term(const graph::OutlineValue& input, std::size_t axis);

  bool known_ = true;
  std::vector<FreeSize> free_;
  std::map<std::string, std::size_t> by_name_;
  std::map<std::string, std::vector<Term>> inputs_;
};

}  // namespace sinter::check
