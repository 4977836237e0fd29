#include "sinter/plan/make_plan.h"

#include <algorithm>

#include "sinter/plan/card.h"

namespace sinter::plan {
namespace {

constexpr std::uint64_t kWorkspaceStep = std::uint64_t{256} << 20;
constexpr std::uint64_t kLeastWorkspace = std::uint64_t{1} << 30;

/// A quarter above the ledger, which is as far as the builder's own figure has been from it.
std::uint64_t workspace_for(std::uint64_t activations, std::uint64_t weights,
                            std::uint64_t memory) {
  const std::uint64_t wanted = activations + activations / 4;
  const std::uint64_t stepped = (wanted + kWorkspaceStep - 1) / kWorkspaceStep * kWorkspaceStep;
  const std::uint64_t taken = weights + kContextBytes;
  const std::uint64_t workspace = std::max(kLeastWorkspace, stepped);
  return memory > taken + kWorkspaceStep ? std::min(workspace, memory - taken) : workspace;
}

}  // namespace

Plan make_plan(const std::vector<PlannedGraph>& graphs, const Sizes& sizes,
               std::uint64_t memory_bytes) {
  Plan plan{.family = {}, .gpu = {}, .sizes = sizes, .graphs = {}};
  for (const PlannedGraph& graph : graphs) {
    const GraphSize opt = usual(graph.part(), sizes);
    const GraphSize max = greatest(graph.part(), sizes);
    const Ledger alone = graph.ledger(opt, EngineSizes::kOne);
    const Ledger whole = graph.ledger(max, graph.fixed() ? EngineSizes::kOne : EngineSizes::kRange);
    plan.graphs.push_back(
        {.folder = graph.folder(),
         .profile = graph.profile(least(graph.part(), sizes), opt, max),
         .workspace_bytes = workspace_for(whole.activations, graph.weight_bytes(), memory_bytes),
         .disk_bytes = graph.disk_bytes(),
         .memory = {{"opt", graph.weight_bytes(), alone.activations, alone.bindings},
                    {"max", graph.weight_bytes(), whole.activations, whole.bindings}}});
  }
  return plan;
}

}  // namespace sinter::plan
