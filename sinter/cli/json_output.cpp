#include "sinter/cli/json_output.h"

#include <fmt/format.h>

#include <cstdio>

namespace sinter::cli {

void print_json(const nlohmann::ordered_json& json) {
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace sinter::cli
