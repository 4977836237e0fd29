#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sinter/base/dtype.h"
#include "sinter/base/shape.h"
#include "sinter/graph/dim.h"

namespace sinter::graph {

class Graph;

/// A handle to one value of a graph; cheap to copy, valid while the graph lives.
class Value {
 public:
  Value() = default;
  Value(Graph* graph, std::size_t id) : graph_(graph), id_(id) {}

  Graph& graph() const { return *graph_; }
  std::size_t id() const { return id_; }
  const std::string& name() const;
  DType dtype() const;
  const Dims& dims() const;
  const Dim& dim(std::size_t axis) const { return dims().at(axis); }
  std::size_t rank() const { return dims().size(); }

 private:
  Graph* graph_ = nullptr;
  std::size_t id_ = 0;
};

using Attribute = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>>;
using Attributes = std::vector<std::pair<std::string, Attribute>>;

/// An operator of the default ONNX domain.
struct Node {
  std::string name;
  std::string op;
  std::vector<std::string> inputs;  // "" where an optional input is left out
  std::vector<std::string> outputs;
  Attributes attributes;
};

/// Weight bytes in a source file of the checkpoint.
struct FileRange {
  std::size_t file;
  std::uint64_t begin;
  DType stored;  // as in the file; differs from the initializer's dtype where packing converts
};

/// A constant tensor: bytes of a file, or its own little-endian bytes.
struct Initializer {
  std::string name;
  DType dtype;
  Shape shape;
  std::variant<FileRange, std::vector<std::byte>> data;
};

/// The type of a value.
struct ValueType {
  std::string name;
  DType dtype;
  Dims dims;
};

/// A computation: nodes in topological order, because a node can only name values that exist.
///
/// Owns everything; Values refer to it, so it neither moves nor copies.
class Graph {
 public:
  explicit Graph(std::string name) : name_(std::move(name)) {}
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  const std::string& name() const { return name_; }

  Value add_input(std::string name, DType dtype, Dims dims);

  /// Makes a value an output under its own interface name: the value's producer is renamed to it.
  /// A value that is an input, an initializer or an output already gets an Identity in between.
  void add_output(std::string name, Value value);

  /// Adds a node named after the current scope and returns its output of the given type.
  Value add_node(std::string_view op, const std::vector<Value>& inputs, DType dtype, Dims dims,
                 Attributes attributes = {});

  /// The same for several outputs.
  std::vector<Value> add_node(std::string_view op, const std::vector<Value>& inputs,
                              std::vector<std::pair<DType, Dims>> outputs, Attributes attributes);

  /// Adds an initializer; one that is there already under the same name is returned.
  /// @throws Error{kInternal} when it is there with another type.
  Value add_initializer(Initializer initializer);

  /// A small constant, shared by all who ask for the same. Rounded to `dtype`.
  Value scalar(double value, DType dtype);
  Value vector(const std::vector<float>& values, Shape shape, DType dtype, const std::string& name);
  Value integers(const std::vector<std::int64_t>& values);

  /// An absent optional input.
  Value none() { return {this, 0}; }

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Initializer>& initializers() const { return initializers_; }
  const std::vector<ValueType>& inputs() const { return inputs_; }
  const std::vector<ValueType>& outputs() const { return outputs_; }

  /// Types of all values that nodes make, in order, without the outputs.
  std::vector<ValueType> inner_values() const;

  const ValueType& type(std::size_t id) const { return values_[id]; }

  /// The module whose nodes are being added; see Within.
  const std::string& scope() const { return scope_; }
  void set_scope(std::string scope) { scope_ = std::move(scope); }

  /// The value that holds another value's extents as int64, made once a value.
  Value shape_of(Value value);

 private:
  Value add_value(std::string name, DType dtype, Dims dims);
  std::string unique_node_name(std::string_view op);
  void rename(std::size_t id, const std::string& name);

  std::string name_;
  std::string scope_;
  std::vector<ValueType> values_{ValueType{"", DType::kF32, {}}};  // id 0 is the absent value
  std::vector<Node> nodes_;
  std::vector<Initializer> initializers_;
  std::vector<ValueType> inputs_;
  std::vector<ValueType> outputs_;
  std::map<std::string, std::size_t, std::less<>> initializer_values_;  // name -> value id
  std::map<std::string, int, std::less<>> name_uses_;
  std::map<std::size_t, std::size_t> shapes_;     // value id -> id of its Shape
  std::map<std::size_t, std::size_t> producers_;  // value id -> node index
};

}  // namespace sinter::graph
