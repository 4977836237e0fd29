#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sinter/graph/onnx_edit.h"
#include "sinter/graph/onnx_outline.h"

namespace sinter::fold {

/// Constant nodes that hang together, and the results of them that other nodes read.
struct Cluster {
  std::vector<std::size_t> nodes;  // indices into the graph's nodes, in order
  std::vector<graph::TypedName> results;
};

/// A value whose numbers follow from shapes that never change: Shape or Size.
struct KnownSizes {
  std::size_t node;
  std::string value;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> numbers;
};

/// A node that computes the same in every run, and why it stays.
struct Left {
  std::string node;
  std::string op;
  std::string why;
};

struct FoldPlan {
  std::vector<Cluster> clusters;
  std::vector<Left> left;
};

/// Shapes and sizes of the graph that do not depend on a free size of its inputs.
std::vector<KnownSizes> known_sizes(const graph::Outline& file);

/// What can be computed once. Stay: chance, quantized weights, operators of other domains, results
/// that would make the file much larger or whose size nobody knows before, and outputs of the
/// graph.
FoldPlan plan_folds(const graph::Outline& file);

}  // namespace sinter::fold
