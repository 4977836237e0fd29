#include "sinter/engine/refit_weights.h"

#include <fmt/format.h>

#include <map>

#include "sinter/base/error.h"
#include "sinter/base/message.h"

namespace sinter::engine {

std::vector<RefitWeight> refit_weights(const graph::OnnxModel& model) {
  std::vector<RefitWeight> weights;
  for (const graph::Weight& weight : model.weights()) {
    std::uint64_t elements = 1;
    for (const std::int64_t extent : weight.shape) elements *= static_cast<std::uint64_t>(extent);
    weights.push_back({weight.name, weight.dtype, elements, weight.bytes});
  }
  return weights;
}

void require_same_weights(std::span<const RefitWeight> built, std::span<const RefitWeight> other) {
  std::map<std::string_view, const RefitWeight*> left;
  for (const RefitWeight& weight : other) left.emplace(weight.name, &weight);
  for (const RefitWeight& weight : built) {
    const auto found = left.find(weight.name);
    if (found == left.end()) {
      throw Error(ErrorCode::kShapeMismatch,
                  fmt::format("the new weights have no '{}'", shown(weight.name)),
                  "an engine takes new values of the same graph; for another one build it anew");
    }
    const RefitWeight& with = *found->second;
    if (with.dtype != weight.dtype || with.elements != weight.elements) {
      throw Error(ErrorCode::kShapeMismatch,
                  fmt::format("'{}' has {} elements of {}, the engine's graph has {} of {}",
                              shown(weight.name), with.elements, dtype_info(with.dtype).word,
                              weight.elements, dtype_info(weight.dtype).word));
    }
    left.erase(found);
  }
  if (left.empty()) return;
  throw Error(ErrorCode::kShapeMismatch,
              fmt::format("the engine's graph has no '{}'", shown(left.begin()->first)),
              "an engine takes new values of the same graph; for another one build it anew");
}

}  // namespace sinter::engine
