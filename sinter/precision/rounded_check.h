#pragma once

#include <filesystem>

#include "sinter/convert/precision_policy.h"
#include "sinter/precision/watched_session.h"
#include "sinter/runtime/session.h"

namespace sinter::precision {

/// Runs a graph on the inputs of a watch with every value rounded to its type
/// (runtime::Arithmetic::kRounded), as a GPU would, and compares with what float32 gave.
convert::RoundedRun rounded_run(const std::filesystem::path& model, const Watch& watch,
                                runtime::SessionOptions options = {});

}  // namespace sinter::precision
