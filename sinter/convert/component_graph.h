#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/arch/model.h"
#include "sinter/convert/io_profile.h"
#include "sinter/graph/graph.h"
#include "sinter/graph/scope.h"

namespace sinter::convert {

/// Fixed sizes instead of dynamic dimensions. Pixels for height and width, multiples of a latent
/// cell; the limits keep a slip of the keyboard from asking for more than any machine has.
inline constexpr std::int64_t kMaxStaticBatch = 256;
inline constexpr std::int64_t kMaxStaticPixels = 16384;
struct StaticSize {
  std::int64_t batch;
  std::int64_t height;
  std::int64_t width;
};

struct GraphOptions {
  DType compute = DType::kF32;
  graph::Places exact;  // modules that compute in float32 all the same
  bool convert_weights =
      false;  // stored in the compute dtype (packing) instead of cast in the graph (linking)
  bool controlnet_inputs = false;
  bool hidden_states =
      false;  // every hidden state of text encoders, and the pooled projection where there is one
  std::optional<StaticSize> size;
  std::int64_t latent_factor = 8;  // pixels per latent cell, for the UNet's static size
};

/// A graph to write: the folder it belongs to and the component it comes from.
struct GraphPlan {
  std::string folder;  // "unet", "vae_decoder", ...
  const arch::Component* component;
};

/// The graphs that a model becomes, in pipeline order: an autoencoder becomes two.
std::vector<GraphPlan> graph_plans(const arch::Model& model);

/// Builds the graph of a plan with its interface: float32 inputs and outputs, computing in
/// options.compute.
/// @throws Error{kMissingTensor, kShapeMismatch} naming the tensor; Error{kUsage} for a size that
/// cannot be.
std::unique_ptr<graph::Graph> build_graph(const GraphPlan& plan, const IoProfile& io,
                                          const GraphOptions& options);

}  // namespace sinter::convert
