#include "sinter/graph/moving_ops.h"

#include <algorithm>
#include <iterator>

namespace sinter::graph {

// Rows of a float16 table, cast to float32 behind the Gather, are stored and not computed in
// float16.
bool moves_data(std::string_view op) {
  constexpr std::string_view kMoving[] = {
      "Cast", "Concat",  "Constant", "Expand", "Flatten", "Gather",    "Identity",
      "Pad",  "Reshape", "Slice",    "Split",  "Squeeze", "Transpose", "Unsqueeze",
  };
  return std::ranges::find(kMoving, op) != std::end(kMoving);
}

}  // namespace sinter::graph
