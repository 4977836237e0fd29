#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "sinter/engine/backend.h"
#include "sinter/engine/manifest.h"

namespace sinter::engine {

/// One engine to make. `record` holds what the caller knows of it: graph, policy, adapters,
/// checkpoints, sizes, profile, architectures, refit, stripped, system, driver, tool, command,
/// time.
struct EngineOrder {
  std::filesystem::path folder;  // converted
  EngineRecord record;
  std::uint64_t workspace_bytes = 0;
  std::function<bool(const BuildProgress&)> progress;  // returns false to stop
  std::function<double()> now;                         // seconds of a clock, for the record
};

/// Builds an engine of a converted folder's graph into folder/engines and enters it in the
/// manifest. The engine appears complete or not at all, under a name that says what it serves.
///
/// The graph and its weights are read and checked first, and the profile against the graph's
/// inputs, so that the library never sees a damaged file. TensorRT's timing cache is kept beside
/// the engines.
/// Returns the record with everything filled in, and the builder's warnings.
/// @throws as OnnxModel::load(), plan::require_covers() and Backend::build(); Error{kIo} when the
///         disk is full.
std::pair<EngineRecord, std::vector<std::string>> build_engine(Backend& backend,
                                                               const EngineOrder& order);

/// Writes an engine anew with the weights of another conversion of the same graph. Needs a GPU.
///
/// engine: a record of folder's manifest that is refittable or stripped. weights_from: the
/// converted folder whose weights it gets; always a whole set, so nothing of earlier weights is
/// left. The result is entered in weights_from's manifest.
/// @throws as Backend::refit(); Error{kUsage} when the engine is not refittable, or only with the
///         weights that it was built with and these are others.
EngineRecord refit_engine(Backend& backend, const std::filesystem::path& folder,
                          const EngineRecord& engine, const EngineOrder& order);

}  // namespace sinter::engine
