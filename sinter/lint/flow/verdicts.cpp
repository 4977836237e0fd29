#include <fmt/format.h>

#include "sinter/lint/flow/interpreter.h"
#include "sinter/lint/values/containers.h"

namespace sinter::lint {

void Interpreter::watch_kept(const Value& container, const Value& value, const Place& place) {
  const auto* list = as<Sequence>(container);
  const auto* dict = as<Dict>(container);
  const int made_in = list ? list->loop_depth : dict ? dict->loop_depth : 0;
  if (static_cast<int>(state.loops.size()) <= made_in || state.forward_depth > 0) return;
  std::vector<Facts*> all;
  gather_facts(value, all);
  for (const Facts* facts : all) {
    if (!facts->device.is_accelerator() || !facts->computed || facts->shape.surely_scalar())
      continue;
    if (kept_findings.contains(container.get())) return;
    kept.push_back(container);
    kept_findings[container.get()] = {
        .rule = Rule::kGpuResultsKept,
        .place = place,
        .use = {},
        .message = fmt::format(
            "every turn of the loop keeps one more result on {}{}; keep x.detach().cpu()",
            to_string(facts->device), facts->recorded.empty() ? "" : " together with its graph"),
        .edit = {}};
    return;
  }
}

void Interpreter::use_load(const Facts& facts) {
  if (cuda_loads.empty() || !facts.source) return;
  if (const auto found = cuda_loads.find(facts.source->place.begin); found != cuda_loads.end())
    found->second.used = true;
}

void Interpreter::finish() {
  if (!state.gradients_used && !state.alone) {
    for (Finding& finding : loop_findings) findings_.add(std::move(finding));
    for (const auto& container : kept) {
      const auto* sequence = container->kind == Kind::kSequence
                                 ? static_cast<const Sequence*>(container.get())
                                 : nullptr;
      if (sequence != nullptr && sequence->joined) continue;
      findings_.add(kept_findings[container.get()]);
    }
  }
  for (auto& [place, load] : cuda_loads)
    if (!load.used && !state.alone) findings_.add(std::move(load.finding));
  for (const auto& session : sessions)
    if (!session->flag)
      report(Rule::kOrtProviderUnchecked, session->place,
             "a session that asks for a GPU provider runs on the CPU without an error when that "
             "provider cannot be loaded, and get_providers() is never asked",
             {});
}

}  // namespace sinter::lint
