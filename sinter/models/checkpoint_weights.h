#pragma once

#include "sinter/arch/weight_map.h"
#include "sinter/graph/scope.h"

namespace sinter::models {

/// Gives the graph the weights of one component by canonical name. The map outlives it.
class CheckpointWeights : public graph::WeightProvider {
 public:
  explicit CheckpointWeights(const arch::WeightMap& map) : map_(&map) {}

  /// The stored name of a range of rows ends in "[first:last]".
  std::optional<graph::StoredWeight> find(std::string_view name) const override;

 private:
  const arch::WeightMap* map_;
};

}  // namespace sinter::models
