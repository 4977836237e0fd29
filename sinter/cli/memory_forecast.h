#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sinter/graph/onnx_model.h"
#include "sinter/pipeline/folder.h"
#include "sinter/runtime/session.h"

namespace sinter::cli {

/// What an engine takes for the weights of one graph, beside the file's own pages, which the system
/// can take back.
struct WeightMemory {
  std::string component;
  std::uint64_t bytes;
  std::uint64_t packed_bytes;  // the same, were the folder packed in float32
};

WeightMemory weight_memory(const graph::OnnxModel& model, const std::string& component,
                           runtime::Engine engine);

/// Of all graphs that draw a picture, those that are loaded at once as one.
/// @throws as graph::OnnxModel::load.
std::vector<WeightMemory> weight_memory(const pipeline::PipelineFolder& folder,
                                        runtime::Engine engine, bool with_controlnets = false);

/// What to say when that is more than is available (0: unknown). together: all are kept loaded.
std::optional<std::string> memory_warning(const std::vector<WeightMemory>& graphs,
                                          runtime::Engine engine, bool together,
                                          std::uint64_t available_bytes);

}  // namespace sinter::cli
