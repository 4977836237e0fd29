#include "sinter/convert/policy_record.h"

namespace sinter::convert {
using Json = nlohmann::ordered_json;
namespace {

Json run_json(const std::optional<RoundedRun>& run) {
  if (!run) return nullptr;
  return {{"max", run->max},
          {"mean", run->mean},
          {"non_finite", run->non_finite},
          {"within", run->within}};
}

}  // namespace

Json policy_json(const GraphPolicy& policy) {
  Json exact = Json::array();
  for (const ExactModule& module : policy.exact)
    exact.push_back({{"module", module.module},
                     {"reason", reason_name(module.reason)},
                     {"value", module.value},
                     {"largest", module.largest}});
  return {{"policy", "auto"},
          {"inputs", policy.inputs},
          {"runs", policy.runs},
          {"largest", {{"value", policy.largest_value}, {"absolute", policy.largest}}},
          {"float32", exact},
          {"float16_throughout", run_json(policy.plain)},
          {"as_decided", run_json(policy.decided)}};
}

}  // namespace sinter::convert
