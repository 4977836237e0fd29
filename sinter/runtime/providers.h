#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinter/graph/onnx_model.h"
#include "sinter/runtime/session.h"

namespace sinter::runtime {

/// An execution provider of ONNX Runtime that computes on a GPU.
struct Provider {
  Engine engine;
  std::string_view title;    // "TensorRT"
  std::string_view name;     // as ONNX Runtime calls it
  std::string_view library;  // of a build that has it, beside libonnxruntime
  std::string_view package;  // that brings it, as people install it
};

/// The provider of an engine, or null where it runs on the CPU.
const Provider* provider_of(Engine engine);

/// Whether a device's provider (by its name in a provider library) is this one. Plugins are not all
/// called as their built-in forms were.
bool is_provider(const Provider& provider, std::string_view name);

using ProviderOptions = std::vector<std::pair<std::string, std::string>>;

/// A folder in options.engine_cache for one graph on one engine. Providers take an engine that they
/// find there whatever it was made from; so its name is that of the graph with a hash of the graph,
/// its weights' files (sizes and times) and `engine`, which tells versions apart.
std::filesystem::path cache_folder(const graph::OnnxModel& model, const SessionOptions& options,
                                   std::string_view engine);

/// The options of an engine's provider for one graph, in a fixed order: types, shape ranges,
/// caches. options.engine_cache is the graph's own folder (see cache_folder()); timings go beside
/// it.
///
/// TensorRT makes engines for ranges of shapes where it is told those of all dynamic inputs, and
/// otherwise anew for each shape that comes.
/// @throws Error{kUsage} naming the inputs when ranges are there for some dynamic inputs and not
///         for others, for one that the graph does not have, or when a range is no min <= opt <=
///         max of the input's rank and fixed extents.
ProviderOptions provider_options(const Provider& provider, const graph::OnnxModel& model,
                                 const SessionOptions& options);

}  // namespace sinter::runtime
