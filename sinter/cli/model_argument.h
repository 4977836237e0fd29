#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sinter::cli {

/// The graphs that a MODEL argument names: of a converted folder all, or the one file.
/// @throws Error{kUsage} for a folder without graphs: nothing to do is not a success.
std::vector<std::filesystem::path> models_at(const std::string& argument);

}  // namespace sinter::cli
