#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/base/dtype.h"
#include "sinter/base/shape.h"
#include "sinter/graph/external_data.h"

namespace sinter::graph {

struct Outline;

/// A graph input, output or value as an ONNX file declares it.
struct ValueDeclaration {
  std::string name;
  DType dtype;
  std::vector<std::int64_t> shape;   // -1: dynamic
  std::vector<std::string> symbols;  // name of a dynamic dimension, else empty
  bool ranked = true;                // false: the file does not even say the rank; shape is empty
};

/// One node, as bisection and reports need it.
struct NodeSummary {
  std::string name;
  std::string op;
  std::vector<std::string> inputs;  // "" where an optional one is left out
  std::vector<std::string> outputs;
};

/// An initializer that lies in a mapped file.
struct Weight {
  std::string name;
  DType dtype;
  Shape shape;
  std::span<const std::byte> bytes;  // row-major; any alignment; valid while the OnnxModel lives
};

/// What stands for a weight in serialized bytes.
enum class WeightForm { kReferences, kInputs };

/// Where serialized bytes make an engine round (rounded_values.h): where it likes, or at every
/// value of a short type, as a GPU does.
enum class Rounding { kEngine, kDeclaredTypes };

/// The output that says how large a value's elements are; see OnnxModel::expose_extremes().
std::string extreme_of(std::string_view value);

/// An ONNX file in memory with the files that hold its weights mapped. Any ONNX file, ours or
/// foreign.
///
/// Weights linked by sinter are checked against what was recorded when they were linked: a changed
/// or moved source is an error here, never wrong numbers later. Others must lie in the model's
/// folder or below it.
class OnnxModel {
 public:
  /// @throws Error{kIo} when a file is missing, Error{kBadFile} when the ONNX file or a range in it
  ///         is damaged or leads out of its folder, Error{kSourceChanged} when a linked source is
  ///         not the one that was converted.
  static OnnxModel load(const std::filesystem::path& path);

  /// Takes a model from its bytes.
  /// `path` is where it would lie: relative locations of external data start at its folder.
  /// @throws as load().
  static OnnxModel parse(std::span<const std::byte> bytes, const std::filesystem::path& path);

  ~OnnxModel();
  OnnxModel(OnnxModel&&) noexcept;
  OnnxModel& operator=(OnnxModel&&) noexcept;

  const std::filesystem::path& path() const;
  std::vector<ValueDeclaration> inputs() const;  // without initializers
  std::vector<ValueDeclaration> outputs() const;
  std::vector<ValueDeclaration> values() const;  // value_info: every inner value with a known type
  std::vector<NodeSummary> nodes() const;        // in the file's order, which is topological

  /// The value of metadata_props under that key, or nothing.
  std::optional<std::string> metadata(std::string_view key) const;

  /// The coarsest floating type in which a node computes (and not only moves data); where the file
  /// declares no such value, that of inputs, outputs and initializers. float32 where none is.
  DType compute_dtype() const;

  /// All that the file says, as those who judge it see it.
  Outline outline() const;

  /// Makes inner values graph outputs too, behind the present ones (for bisection).
  /// @throws Error{kUsage} when there is no value_info of that name.
  void expose(std::span<const std::string> values);

  /// Adds an output extreme_of(value) for each float32 value: its largest absolute element, a
  /// scalar. Unlike expose(), that keeps no value alive where an engine orders nodes by the outputs
  /// that they lead to (OpenVINO does, ONNX Runtime keeps them all): thousands can be watched in
  /// one run. Before expose(), and once.
  void expose_extremes(std::span<const std::string> values);

  /// Takes back every expose() and expose_extremes().
  void hide_exposed();

  /// The files of its external data, in order of first use.
  const std::vector<ExternalFile>& files() const;

  /// The initializers that engines are given as memory: those in side files, but for small ones.
  /// In the file's order.
  std::vector<Weight> weights() const;

  /// The model as bytes. Its weights() stay references by location, or become inputs of their
  /// names; other external data is put inside.
  /// @throws Error{kBadFile} when the bytes would exceed protobuf's 2 GiB.
  /// @throws Error{kUnsupported} for a rounding that the file does not say enough for.
  std::string serialized(WeightForm form = WeightForm::kReferences,
                         Rounding rounding = Rounding::kEngine) const;

 private:
  struct State;
  explicit OnnxModel(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sinter::graph
