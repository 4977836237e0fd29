#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sinter/graph/extents.h"
#include "sinter/plan/kernels.h"
#include "sinter/plan/network.h"

namespace sinter::plan {

/// Whether an engine serves one size or a range.
enum class EngineSizes { kOne, kRange };

/// A value in memory at the moment of greatest need.
struct HeldValue {
  std::string name;
  std::uint64_t bytes;
};

/// What an engine needs at one size, in bytes.
struct Ledger {
  std::uint64_t activations = 0;  // greatest sum of values alive at once, and the workspace
  std::uint64_t bindings = 0;     // graph inputs and outputs
  std::uint64_t scores = 0;       // the greatest attention matrix, whether or not it is in memory
  bool scores_in_memory = false;
  std::string peak;             // the kernel where most is alive
  std::vector<HeldValue> held;  // there, largest first, at most eight
};

/// A graph read and fused once, to be asked at many sizes.
class MemoryModel {
 public:
  explicit MemoryModel(Network network, Norms norms = Norms::kJoined);

  /// Liveness over the kernels. sizes: of every symbol of the graph's inputs.
  ///
  /// An engine of one size overwrites an operand of the same extent that nobody reads later with
  /// the result of an element-wise kernel; one with a range of sizes writes elsewhere, and makes
  /// the outputs of convolutions in memory of its own before they reach the caller's. Where norms
  /// are as written, a half-precision value that a convolution and something else read is held
  /// twice, in two orders of axes.
  Ledger at(const graph::Symbols& sizes, EngineSizes kind) const;

  const Network& network() const { return network_; }

 private:
  Network network_;
  std::vector<Kernel> kernels_;
  std::vector<bool> doubled_;  // by value
  std::vector<bool> staged_;   // by value
  struct Scores {
    std::size_t value;
    bool in_memory;
  };
  std::vector<Scores> scores_;
};

}  // namespace sinter::plan
