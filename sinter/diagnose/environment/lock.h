#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinter/diagnose/environment/snapshot.h"

namespace sinter::diagnose::environment {

/// The snapshot as a JSON text: the same machine gives the same bytes. What changes by itself (free
/// space) is left out.
std::string to_lock(const Snapshot& snapshot);

/// Reads it again.
/// @throws Error{kBadFile} for another file.
Snapshot from_lock(std::string_view text);

/// One thing that is not as it was.
struct Drift {
  std::string environment;  // empty: the machine
  std::string what;         // "driver", "torch"
  std::string before;       // empty: was not there
  std::string now;          // empty: is gone
};

/// What has changed since.
std::vector<Drift> drift(const Snapshot& before, const Snapshot& now);

}  // namespace sinter::diagnose::environment
