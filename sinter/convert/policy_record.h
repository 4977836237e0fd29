#pragma once

#include <nlohmann/json.hpp>

#include "sinter/convert/precision_policy.h"

namespace sinter::convert {

/// The policy of a graph with its evidence, as sinter.json has it.
nlohmann::ordered_json policy_json(const GraphPolicy& policy);

}  // namespace sinter::convert
