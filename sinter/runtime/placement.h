#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/graph/onnx_model.h"
#include "sinter/runtime/session.h"

namespace sinter::runtime {

inline constexpr std::string_view kCpuProvider = "CPUExecutionProvider";

/// A node as an engine gave it to a provider.
struct PlacedNode {
  std::string provider;
  std::string name;
  std::string op;
};

/// Where the nodes of a session are. A node on the CPU has fallen there, with a cause from what the
/// engine said while it made the session, or from the node itself.
///
/// engine_messages: its log, from informational messages on.
Placement placement_of(std::span<const PlacedNode> nodes, const graph::OnnxModel& model,
                       std::span<const std::string> engine_messages);

}  // namespace sinter::runtime
