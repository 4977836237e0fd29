#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "sinter/pipeline/sessions.h"
#include "sinter/runtime/session.h"

namespace sinter::precision {

/// The largest absolute element of each watched value, by its name.
using Extremes = std::map<std::string, double, std::less<>>;

/// What was seen of a graph.
struct Watch {
  Extremes extremes;  // of float32 inputs, weights, inner values and outputs, over all runs
  int runs = 0;
  runtime::TensorMap inputs;  // of the last run
  runtime::TensorMap outputs;
};

/// A session of OpenVINO that records into `watch`, which outlives it. Its outputs
/// are the graph's own.
std::unique_ptr<runtime::Session> watched_session(const std::filesystem::path& model, Watch& watch,
                                                  const runtime::SessionOptions& options = {});

/// Watches by the folder that a model lies in.
using Watches = std::map<std::string, Watch, std::less<>>;

/// Watched sessions for a pipeline. `watches` outlives them.
pipeline::SessionFactory watched_sessions(Watches& watches,
                                          const runtime::SessionOptions& options = {});

}  // namespace sinter::precision
