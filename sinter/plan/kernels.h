#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sinter/plan/network.h"

namespace sinter::plan {

/// What a kernel does with memory.
enum class KernelKind {
  kHeavy,      // a convolution, a matrix product, or a whole attention, with what follows it
  kReduction,  // a normalization or a softmax
  kPointwise,  // a chain of element-wise operations
  kOther,      // moves data: Concat, Resize, Gather, ...
};

/// How instance normalizations of float16 graphs reach the builder.
enum class Norms {
  kJoined,     // as `sinter build` gives them: without the casts to float32 and back, in one kernel
               // with scale and activation
  kAsWritten,  // as the ONNX file has them, which is what trtexec builds
};

/// Nodes that an engine runs as one, so that values between them are never in memory.
struct Kernel {
  KernelKind kind;
  std::string name;                    // of its last node
  std::vector<std::size_t> nodes;      // of the network
  std::vector<std::size_t> reads;      // values in memory
  std::vector<std::size_t> writes;     // values in memory
  std::vector<std::size_t> pointwise;  // of reads, those that are read element by element only
};

/// Fuses a network as an engine would, by rules that docs/planning.md states:
///
/// 1. MatMul, Softmax, MatMul in half precision with a head width of up to 256 in steps of 8 is one
///    attention: scores are never in memory. In float32 it is three kernels.
/// 2. Element-wise operations follow what makes their operand: a convolution, a matrix product or a
///    layer normalization takes the chain behind it along, as long as nobody else reads between.
/// 3. An instance normalization stands alone, between the casts that surround it; or, joined, it is
/// as
///    a layer normalization and the casts are gone.
///
/// In the order in which they run: the file's, but what depends on no picture runs first, and what
/// only makes a graph output runs at once.
std::vector<Kernel> fuse(const Network& network, Norms norms);

}  // namespace sinter::plan
