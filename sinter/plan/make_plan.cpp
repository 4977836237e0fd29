#include "sinter/plan/make_plan.h"

#include <algorithm>
#include <utility>

namespace sinter::plan {
namespace {

constexpr std::uint64_t kWorkspaceStep = std::uint64_t{256} << 20;
constexpr std::uint64_t kLeastWorkspace = std::uint64_t{1} << 30;

/// A quarter above the ledger, which is as far as the builder's own figure has been from it.
std::uint64_t workspace_for(std::uint64_t activations) {
  const std::uint64_t wanted = activations + activations / 4;
  return std::max(kLeastWorkspace, (wanted + kWorkspaceStep - 1) / kWorkspaceStep * kWorkspaceStep);
}

}  // namespace

Plan make_plan(const std::vector<PlannedGraph>& graphs, const Sizes& sizes, std::string gpu,
               std::string family) {
  Plan plan{.family = std::move(family), .gpu = std::move(gpu), .sizes = sizes, .graphs = {}};
  for (const PlannedGraph& graph : graphs) {
    const GraphSize opt = usual(graph.part(), sizes);
    const GraphSize max = greatest(graph.part(), sizes);
    const Ledger alone = graph.ledger(opt, EngineSizes::kOne);
    const Ledger whole = graph.ledger(max, graph.fixed() ? EngineSizes::kOne : EngineSizes::kRange);
    plan.graphs.push_back(
        {.folder = graph.folder(),
         .profile = graph.profile(least(graph.part(), sizes), opt, max),
         .workspace_bytes = workspace_for(whole.activations),
         .disk_bytes = graph.disk_bytes(),
         .memory = {{"opt", graph.weight_bytes(), alone.activations, alone.bindings},
                    {"max", graph.weight_bytes(), whole.activations, whole.bindings}}});
  }
  return plan;
}

}  // namespace sinter::plan
