#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sinter/adapters/summary.h"

namespace sinter::cli {

/// What an adapter holds, a title and a line each.
std::vector<std::pair<std::string, std::string>> summary_lines(
    const adapters::AdapterSummary& summary);

nlohmann::ordered_json summary_json(const adapters::AdapterSummary& summary);

}  // namespace sinter::cli
