#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sinter/base/dtype.h"
#include "sinter/base/shape.h"
#include "sinter/graph/onnx_outline.h"
#include "sinter/graph/onnx_writer.h"

namespace sinter::graph {

/// A value with its element type, a number of TensorProto.DataType.
struct TypedName {
  std::string name;
  int type;
};

/// Any ONNX file being changed: what nodes compute becomes constants. Numbers of external data stay
/// where they are.
class OnnxEdit {
 public:
  /// @throws Error{kIo} when there is no such file, Error{kBadFile} when it is no ONNX file.
  explicit OnnxEdit(const std::filesystem::path& path);
  ~OnnxEdit();
  OnnxEdit(OnnxEdit&&) noexcept;

  /// As it is now. Indices of nodes are those of Outline::graph.
  Outline outline() const;

  /// Below IR version 4 every initializer has to be an input too, and no caller may replace it:
  /// makes it IR version 4, which says the same without these inputs.
  void modernize();

  /// Makes initializers of Constant nodes of the graph, but for texts, sparse ones and outputs of
  /// the graph. Returns how many.
  std::size_t lift_constants();

  /// Nodes that read an Identity of an initializer read that itself, so that shared weights stay
  /// shared. Returns how many Identities went.
  std::size_t bypass_identities();

  /// A model that runs these nodes alone, with the initializers that they read. Nodes in order.
  std::string part(std::span<const std::size_t> nodes, std::span<const TypedName> outputs) const;

  /// Adds an initializer with its bytes, or with a place for them.
  void add_constant(const std::string& name, DType dtype, const Shape& shape,
                    std::span<const std::byte> bytes);
  void add_constant(const std::string& name, DType dtype, const Shape& shape,
                    const Placement& placement, std::uint64_t length);

  void remove_nodes(const std::set<std::size_t>& nodes);

  /// Removes initializers and nodes that no output depends on, and what is said of values that are
  /// gone. Returns how many nodes.
  std::size_t prune();

  /// Gives every random operator of the graph a seed, so that engines that honour it draw the same
  /// numbers each time. Returns whether there is one.
  bool seed_random();

  /// Gives every external tensor another place; `length` of the range may be 0 where the file does
  /// not say it and the type is packed.
  void relocate(const std::function<Placement(const Placement& from, std::uint64_t length)>& place);

  /// Names the files of sinter's link records anew; those that are not in use any more go.
  void relocate_links(const std::function<std::string(const std::string& location)>& place);

  /// @throws Error{kBadFile} beyond protobuf's 2 GiB.
  std::string bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sinter::graph
