#pragma once

#include <map>
#include <string>
#include <vector>

#include "sinter/graph/graph.h"
#include "sinter/graph/link_record.h"

namespace sinter::graph {

/// Where an initializer's bytes lie for the readers of the ONNX file.
struct Placement {
  std::string location;  // path from the ONNX file's folder
  std::uint64_t offset;
};

struct OnnxWriteOptions {
  std::map<std::string, Placement> placements;  // of every initializer that is a FileRange, by name
  std::vector<LinkRecord> links;                // what linked files must still be
  std::map<std::string, std::string> metadata;  // further metadata_props
  std::string producer_version;
};

/// The graph as an ONNX file: every value typed, external data where placements say. Opset 17 and
/// IR version 8, or 22 and 10 where it computes in bfloat16. Deterministic: the same graph and
/// options give the same bytes.
/// @throws Error{kInternal} when a FileRange has no placement.
std::string to_onnx(const Graph& graph, const OnnxWriteOptions& options);

}  // namespace sinter::graph
