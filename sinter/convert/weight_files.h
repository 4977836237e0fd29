#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/base/file.h"
#include "sinter/graph/graph.h"
#include "sinter/graph/onnx_writer.h"
#include "sinter/weights/checkpoint.h"

namespace sinter::convert {

/// How weights reach the readers of a graph.
enum class WeightStorage {
  kLink,  // they stay where they are
  kPack,  // model.onnx.data beside the graph, aligned, in the dtype of use
};

/// Where a graph's weights were put.
struct StoredWeights {
  graph::OnnxWriteOptions options;  // placements and links for the writer
  std::uint64_t bytes = 0;          // of the initializers
  /// A linked file gets another name inside the folder, as engines accept nothing outside it. Where
  /// that cannot be (here is why), the graph has a path out of the folder, for sinter's own
  /// sessions.
  HardLink link = HardLink::kMade;
};

/// Called with bytes done and in all.
using ByteProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Links the source files of the graph's weights into `staging`/`folder`, where `staging` will
/// become the output `out`. Where that cannot be, relative paths are used for neighbours of the
/// output and absolute ones for other files.
/// @throws Error{kUnsupported} when a weight's dtype cannot be cast inside a graph.
StoredWeights link_weights(const graph::Graph& graph, const weights::Checkpoint& checkpoint,
                           const std::filesystem::path& staging, std::string_view folder,
                           const std::filesystem::path& out);

/// Copies the graph's weights into `staging`/model.onnx.data, converted to their initializers'
/// dtypes, each at a multiple of 4096 bytes. Streams: memory stays at a few megabytes.
StoredWeights pack_weights(const graph::Graph& graph, const weights::Checkpoint& checkpoint,
                           const std::filesystem::path& staging, const ByteProgress& progress);

}  // namespace sinter::convert
