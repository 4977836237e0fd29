#pragma once

#include <cstddef>

#include "sinter/cli/generate_options.h"

namespace sinter::cli {

/// How many pictures there will be.
std::size_t picture_count(const GenerateArguments& options);

/// Refuses what can be seen to go wrong with the files before anything is touched.
/// @throws Error{kUsage}; Error{kIo}.
void check_places(const GenerateArguments& options);

/// Makes the folders of everything that will be written.
void prepare_places(const GenerateArguments& options);

}  // namespace sinter::cli
