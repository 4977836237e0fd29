#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinter/plan/plan.h"
#include "sinter/plan/planned_graph.h"

namespace sinter::plan {

/// The versions whose options trtexec_line knows: "8.6", "10", "11".
enum class TrtexecVersion { k86, k10, k11 };

/// @throws Error{kUsage} naming the versions there are.
TrtexecVersion trtexec_version(std::string_view text);

/// The command that builds graph/model.onnx into graph/model.plan with that program and profile,
/// in words for a POSIX shell.
/// @throws Error{kUnsupported} for bfloat16 with 8.6, and for an input name that trtexec cannot
///         take ("," and ":" separate).
std::string trtexec_line(const PlannedGraph& graph, const GraphPlan& plan, TrtexecVersion version);

}  // namespace sinter::plan
