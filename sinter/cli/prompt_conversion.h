#pragma once

#include <filesystem>
#include <vector>

#include "sinter/cli/generate_options.h"

namespace sinter::cli {

/// The folders to draw from, one for each prompt: the converted one that was given, or conversions
/// with the command's own adapters and embeddings and those that the prompt names. What is wrong
/// with one is told before any work.
/// @throws Error{kUsage} for a prompt that names what is not there, or what a converted folder
///         cannot take any more; what converting throws.
std::vector<std::filesystem::path> folders_for(const GenerateArguments& options);

}  // namespace sinter::cli
