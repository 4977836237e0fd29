#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinter/engine/manifest.h"

namespace sinter::engine {

/// What an engine is asked to run on.
struct ServingMachine {
  std::optional<plan::ComputeCapability> gpu;  // nothing: no GPU is known
  std::map<Flavour, Version> libraries;        // those that are there
};

/// What it is asked to draw; members that are 0 are not asked about.
struct ServingRequest {
  std::int64_t width = 0;   // pixels
  std::int64_t height = 0;  // pixels
  std::int64_t batch = 0;   // pictures at a time
  std::int64_t tokens = 0;
};

/// Whether an engine serves, and if not every reason, a sentence each.
struct ServingVerdict {
  std::vector<std::string> reasons;  // empty: it serves
  ServingRequest nearest;            // what it takes that is nearest to the request
};

/// Judges a record by version, architecture and profile. Missing knowledge (no GPU, no library) is
/// a reason too.
ServingVerdict judge(const EngineRecord& record, const ServingMachine& machine,
                     const ServingRequest& request);

}  // namespace sinter::engine
