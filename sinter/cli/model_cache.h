#pragma once

#include <filesystem>
#include <string>

#include "sinter/cli/conversion.h"

namespace sinter::cli {

/// Whether this is a folder of graphs, and no checkpoint.
bool is_converted(const std::string& model);

/// The folder that a checkpoint is converted into when it is drawn from directly: in
/// $XDG_CACHE_HOME/sinter, ~/.cache/sinter or, where neither is known, a folder of this user's for
/// temporary files. It is named after the checkpoint and everything that decides the result: the
/// options, the weights' headers and times, and the bytes of a folder's other files.
/// @throws Error{kIo} when the place for temporary files has been taken by others.
std::filesystem::path cache_folder(const std::filesystem::path& checkpoint,
                                   const ConversionOptions& options);

/// A folder to draw from: `model` itself where it is a converted one, else the checkpoint's cached
/// conversion, made now if it is not there yet or is not as it was made. Linked: the cache holds no
/// weights.
std::filesystem::path converted_folder(const std::string& model, const ConversionOptions& options);

}  // namespace sinter::cli
