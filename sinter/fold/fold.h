#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/base/shape.h"
#include "sinter/fold/fold_plan.h"
#include "sinter/fold/proof.h"

namespace sinter::fold {

struct FoldOptions {
  bool pack = false;      // copy all external data into one file beside OUT, instead of linking it
  bool unproven = false;  // write without running the two graphs
  std::filesystem::path onnxruntime_library = {};  // empty: the one that came with sinter
  /// What is being done, and how far of the whole.
  std::function<void(std::string_view doing, double done, double total)> progress = {};
};

/// A constant that took the place of nodes.
struct FoldedValue {
  std::string name;
  std::string type;  // "float16"
  Shape shape;
  std::uint64_t bytes;
  std::vector<std::string> nodes;  // that are gone for it: those of its cluster
};

struct FoldReport {
  std::vector<FoldedValue> folded;
  std::vector<Left> left;      // constant nodes that stay, and why
  std::size_t constants = 0;   // Constant nodes that became initializers
  std::size_t identities = 0;  // Identities of weights that went
  std::size_t sizes = 0;       // shapes that never change
  std::size_t idle = 0;        // nodes that nothing needed
  std::size_t nodes_before = 0;
  std::size_t nodes_after = 0;
  std::vector<std::filesystem::path> files;  // written, the graph last; empty: nothing was written
  Proof proof;
};

/// Computes once what a foreign graph computes in every run: weights that are transposed or cast,
/// constants that are built from others, shapes that never change.
///
/// Numbers come from ONNX Runtime, one cluster of nodes at a time, and go straight into the data
/// file, so that memory holds the largest cluster and not the model. External data that stays is
/// linked beside OUT where it is not there already, or copied. Then both graphs are run on the same
/// inputs at two sizes, each node as written; where a result differs, nothing is written and the
/// report says so.
///
/// IN stays as it is. OUT appears complete or not at all, its data file first.
/// @throws Error{kUsage} when OUT is IN; Error{kIo}, Error{kBadFile}, Error{kSourceChanged} as
///         OnnxModel::load(); Error{kUnsupported} when the graphs cannot be run and have to be.
FoldReport fold(const std::filesystem::path& in, const std::filesystem::path& out,
                const FoldOptions& options = {});

}  // namespace sinter::fold
