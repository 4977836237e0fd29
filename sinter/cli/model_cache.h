#pragma once

#include <filesystem>
#include <string>

#include "sinter/cli/conversion.h"

namespace sinter::cli {

/// The folder that a checkpoint is converted into when it is drawn from directly:
/// $XDG_CACHE_HOME/sinter or ~/.cache/sinter, named after the file and what decides the result, so
/// that another file, or another option, is another folder.
std::filesystem::path cache_folder(const std::filesystem::path& checkpoint,
                                   const ConversionOptions& options);

/// A folder to draw from: `model` itself where it is a converted one, else the checkpoint's cached
/// conversion, made now if it is not there yet. Linked: the cache holds no weights.
std::filesystem::path converted_folder(const std::string& model, const ConversionOptions& options);

}  // namespace sinter::cli
