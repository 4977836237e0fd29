#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sinter/plan/planned_graph.h"
#include "sinter/plan/wanted.h"

namespace sinter::plan {

/// What a GPU keeps for the driver, the program's context and its libraries, and what a desktop
/// takes: an allowance, not a measurement of the card.
inline constexpr std::uint64_t kContextBytes = std::uint64_t{512} << 20;

/// How a picture is drawn, as far as it changes what is in memory at once.
struct Ways {
  bool one_at_a_time = false;  // an engine is loaded when its turn comes and leaves before the next
  bool one_row = false;        // guidance in two runs of the UNet with one row a picture
  bool one_picture = false;    // a batch is drawn picture by picture
  bool tiled = false;          // the autoencoder works on tiles of kTileSide
};

/// Side of a tile, pixels.
inline constexpr std::int64_t kTileSide = 512;

/// What drawing pictures of one size needs on the GPU.
struct Need {
  std::uint64_t bytes = 0;
  std::string folder;             // of the graph that needs most beside the weights
  std::uint64_t activations = 0;  // its activations, inputs and outputs
};

/// Engines that reach up to one size of pictures, for the largest batch. Weights of all graphs are
/// loaded, or those of one; activations are those of the graph that runs, because only one runs at
/// a time and engines can share that memory. Includes kContextBytes.
Need need_at(const std::vector<PlannedGraph>& graphs, const Sizes& sizes,
             const PictureSize& picture, const Ways& ways);

/// The same for engines of these sizes, whose activations are those of the greatest size and batch.
Need need_of_engines(const std::vector<PlannedGraph>& graphs, const Sizes& sizes, EngineSizes kind,
                     const Ways& ways);

/// The largest picture of the usual size's proportions, in steps of 64 pixels, that fits; and the
/// next one, that does not.
struct Limit {
  std::optional<PictureSize> fits;   // none: not even the smallest
  std::optional<PictureSize> fails;  // none: all up to the largest that is looked at
  Need need;                         // of the one that fails, else of the largest
};
Limit limit_of(const std::vector<PlannedGraph>& graphs, const Sizes& sizes, const Ways& ways,
               std::uint64_t memory_bytes);

/// Something that brings a size back onto a card.
struct Remedy {
  std::string name;   // "one-at-a-time", for JSON
  std::string words;  // what to do
  Limit limit;        // with that alone, or with all for the last
};

/// Everything that reaches further than drawing as planned, then all of it together. Precision is
/// among it where the folder computes in float32 what could be halved.
std::vector<Remedy> remedies(const std::vector<PlannedGraph>& graphs, const Sizes& sizes,
                             std::uint64_t memory_bytes);

}  // namespace sinter::plan
