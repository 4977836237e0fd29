#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "sinter/engine/build_engine.h"
#include "sinter/plan/plan.h"

namespace sinter::engine {

/// Whether TensorRT-RTX is here; it is an optional piece of set-up.
bool library_here();
std::unique_ptr<Backend> open_library();

/// A converted stand-in and the plan of its graphs.
struct Converted {
  std::filesystem::path folder;
  plan::Plan plan;
};

/// Makes the stand-in of a manifest and converts it for fp16; the folder above `folder` is to be
/// removed.
Converted convert_stand_in(const std::filesystem::path& manifest, const std::string& name,
                           const std::string& size);

/// An engine of one of its graphs, for sm89.
EngineOrder order_for(const Converted& converted, const plan::GraphPlan& graph);

}  // namespace sinter::engine
