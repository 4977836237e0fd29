#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sinter/base/dtype.h"
#include "sinter/graph/extents.h"
#include "sinter/graph/onnx_model.h"

namespace sinter::plan {

/// A tensor that an engine may have to hold: what a node makes, or an input of the graph.
struct NetworkValue {
  graph::ValueDeclaration type;
  bool input = false;   // of the graph: the caller's memory
  bool output = false;  // of the graph: the caller's memory too
};

/// An operation on values that depend on the inputs.
struct NetworkNode {
  std::string name;
  std::string op;
  std::vector<std::size_t> reads;   // values, without constants
  std::vector<std::size_t> writes;  // values
};

/// A graph as planning sees it: constants are folded into the weights, shapes are known before the
/// run, and what only gives a tensor another shape or order (Reshape, Transpose, ...) is the tensor
/// itself. Nodes are in the file's order, which is topological.
struct Network {
  std::vector<NetworkValue> values;
  std::vector<NetworkNode> nodes;
  std::uint64_t weight_bytes = 0;          // in the types that the graph computes in, each once
  std::uint64_t float32_weight_bytes = 0;  // of those
};

/// Needs the declared shape of every value, which our graphs have.
/// @throws Error{kUnsupported} naming the first value of a node that has none.
Network read_network(const graph::OnnxModel& model);

/// The network of the same graph converted for half precision: weights and values of two bytes,
/// instance normalizations in float32 between two casts, graph inputs and outputs as they are.
Network in_half(const Network& network);

/// Bytes of a value at these sizes.
/// @throws Error{kUsage} when its shape has a symbol without a number; Error{kBadFile} when the
///         product exceeds what a number holds.
std::uint64_t value_bytes(const NetworkValue& value, const graph::Symbols& sizes);

}  // namespace sinter::plan
