#pragma once

#include <cstdint>
#include <vector>

#include "sinter/plan/plan.h"
#include "sinter/plan/planned_graph.h"

namespace sinter::plan {

/// The plan for a folder's graphs: profiles for the sizes, memory at the usual size and at the
/// greatest, workspace and disk.
///
/// MemoryRow "opt" is an engine of the usual size alone, "max" the planned one. workspace_bytes is
/// what its whole memory needs, with room for tactics: a builder counts that as workspace, and one
/// with less finds "no implementation" for the network. Never more than the card has beside the
/// weights, where its memory is known (memory_bytes; 0: it is not).
Plan make_plan(const std::vector<PlannedGraph>& graphs, const Sizes& sizes,
               std::uint64_t memory_bytes);

}  // namespace sinter::plan
