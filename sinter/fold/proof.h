#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/graph/onnx_model.h"

namespace sinter::fold {

/// How far one output of the two graphs is apart.
struct OutputDifference {
  std::string output;
  bool identical = false;  // bit by bit
  bool equal = false;      // within 1e-5 of the largest value
  double largest = 0;      // difference
  double scale = 0;        // largest finite value of the original
};

/// Both graphs, run once on the same inputs.
struct ProofRun {
  std::map<std::string, std::vector<std::int64_t>> shapes;  // of the inputs
  std::vector<OutputDifference> outputs;
};

struct Proof {
  std::vector<ProofRun> runs;
  std::string obstacle;  // why there is none, or empty

  bool holds() const;  // there are runs, and all outputs of all of them are equal
};

/// Gives a model anew, so that its files are mapped while it runs and no longer.
using Loader = std::function<graph::OnnxModel()>;

/// Runs two graphs with the same interface on invented inputs, up to two sizes, each node as
/// written. One model at a time is open; running one takes about as much memory as it has weights.
Proof prove(const Loader& before, const Loader& after,
            const std::filesystem::path& onnxruntime_library,
            const std::function<void(std::string_view doing)>& progress);

}  // namespace sinter::fold
