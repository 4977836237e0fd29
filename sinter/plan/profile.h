#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinter/base/shape.h"
#include "sinter/graph/onnx_model.h"

namespace sinter::plan {

/// What one dynamic input of a graph may be: element counts along every axis, fixed ones included
/// (min = opt = max there). An engine is tuned for opt and takes everything between min and max.
struct InputRange {
  std::string input;
  Shape min;
  Shape opt;
  Shape max;

  friend bool operator==(const InputRange&, const InputRange&) = default;
};

/// The optimization profile of one graph: a range for each of its dynamic inputs, in the graph's
/// order. Inputs of one fixed shape have none.
struct Profile {
  std::vector<InputRange> inputs;

  const InputRange* find(std::string_view input) const;

  friend bool operator==(const Profile&, const Profile&) = default;
};

/// Whether an input needs a range: an extent of it is not a number.
bool is_dynamic(const graph::ValueDeclaration& input);

/// @throws Error{kUsage} naming input, axis and the three numbers where min <= opt <= max or
///         1 <= min does not hold, where the three differ in rank, or an input stands twice.
void require_ordered(const Profile& profile);

/// A profile must cover every dynamic input of its graph, name nothing else, and leave fixed
/// extents as they are. Includes require_ordered().
/// @throws Error{kUsage} naming the input, with the graph's inputs.
void require_covers(const Profile& profile, std::span<const graph::ValueDeclaration> inputs);

}  // namespace sinter::plan
