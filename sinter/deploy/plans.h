#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace sinter::deploy {

/// Plans of one graph: compute capability as Triton spells it, "8.9" -> file.
using Plans = std::map<std::string, std::filesystem::path>;

/// The plans in a folder by the names that sinter build gives: GRAPH.sm86-sm89.*.engine, or .plan.
/// @throws Error{kBadFile} when the manifest beside them says that they are TensorRT-RTX's, which
///         Triton's backend cannot load; Error{kUsage} when two serve the same graph and GPU.
std::map<std::string, Plans> plans_in(const std::filesystem::path& folder);

}  // namespace sinter::deploy
