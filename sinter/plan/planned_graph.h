#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sinter/base/dtype.h"
#include "sinter/graph/onnx_model.h"
#include "sinter/plan/ledger.h"
#include "sinter/plan/plan.h"
#include "sinter/plan/profile.h"

namespace sinter::plan {

/// What a graph of a pipeline is, told by its inputs and outputs. In pipeline order.
enum class Part { kTextEncoder, kUNet, kControlNet, kDecoder, kEncoder };

/// The word for people: "UNet".
std::string_view part_name(Part part);

/// One size at which a graph runs.
struct GraphSize {
  std::int64_t rows = 1;
  std::int64_t height = 512;  // pixels of the picture, whatever the graph counts in
  std::int64_t width = 512;
  std::int64_t tokens = 77;
};

/// One graph of a folder, ready to be asked what its inputs and its memory are at a size.
class PlannedGraph {
 public:
  /// Reads folder/model.onnx. Its weights are located, not read.
  /// @throws Error{kUnsupported} for a graph that is none of Part, or a dynamic extent whose
  ///         meaning is not known; all that OnnxModel::load and read_network throw.
  static PlannedGraph load(const std::filesystem::path& model, Norms norms = Norms::kJoined);

  const std::string& folder() const { return folder_; }
  const std::filesystem::path& model() const { return model_; }
  Part part() const { return part_; }
  DType compute() const { return compute_; }
  const std::vector<graph::ValueDeclaration>& inputs() const { return inputs_; }

  /// Whether every input has one shape.
  bool fixed() const;

  /// Pixels a cell of its latents; 1 for a text encoder.
  std::int64_t factor() const { return factor_; }

  std::uint64_t weight_bytes() const { return memory_.network().weight_bytes; }

  /// Expected size of an engine's file: weights and code.
  std::uint64_t disk_bytes() const;

  /// Whether it multiplies matrices in float32.
  bool multiplies_float32() const;

  /// The extents of all inputs at a size.
  graph::Symbols symbols(const GraphSize& size) const;

  /// The range of every dynamic input between sizes.
  Profile profile(const GraphSize& min, const GraphSize& opt, const GraphSize& max) const;

  /// The same graph converted for half precision.
  PlannedGraph in_half() const;

  /// @throws Error{kUnsupported} when the graph has sizes that its inputs do not decide.
  Ledger ledger(const GraphSize& size, EngineSizes kind) const {
    return memory_.at(symbols(size), kind);
  }

 private:
  enum class Role { kRows, kHeight, kWidth, kTokens };

  PlannedGraph(const graph::OnnxModel& model, Part part, Norms norms);
  void find_roles(Part part);
  std::int64_t extent(Role role, const GraphSize& size) const;

  std::filesystem::path model_;
  std::string folder_;
  Part part_;
  DType compute_;
  std::vector<graph::ValueDeclaration> inputs_;
  std::map<std::string, Role, std::less<>> roles_;  // by symbol
  std::int64_t factor_ = 1;                         // pixels in a unit of the graph's height
  Norms norms_;
  MemoryModel memory_;
};

/// The graphs of a folder in pipeline order.
std::vector<PlannedGraph> load_graphs(const std::vector<std::filesystem::path>& models,
                                      Norms norms = Norms::kJoined);

/// The sizes of a plan for one graph: rows are prompts, rows of the UNet, or pictures.
GraphSize least(Part part, const Sizes& sizes);
GraphSize usual(Part part, const Sizes& sizes);
GraphSize greatest(Part part, const Sizes& sizes);

}  // namespace sinter::plan
