#pragma once

#include "sinter/engine/native/network.h"

namespace sinter::engine::native::SINTER_BACKEND {

/// Backend::build on a parsed network.
BuildReport build_network(Network& network, const BuildRequest& request, Version version, Log& log,
                          const EngineSink& sink);

}  // namespace sinter::engine::native::SINTER_BACKEND
