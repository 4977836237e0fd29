#pragma once

#include <nlohmann/json.hpp>

namespace sinter::cli {

/// Prints a result on standard output. Names in files may be any bytes: what is not UTF-8 is shown
/// with replacement characters.
void print_json(const nlohmann::ordered_json& json);

}  // namespace sinter::cli
