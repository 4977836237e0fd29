#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "sinter/graph/graph.h"

namespace sinter::graph {

/// A weight as the checkpoint stores it.
struct StoredWeight {
  std::string name;  // what the checkpoint calls it; with a suffix where it is only a part
  DType dtype;
  Shape shape;
  std::size_t file;
  std::uint64_t begin;
  bool transposed = false;  // stored [in,out] where the network's matrix is [out,in]
};

/// Where scopes find their weights, by canonical name.
class WeightProvider {
 public:
  virtual ~WeightProvider() = default;

  /// The weight, or nothing when the checkpoint has none of that name.
  virtual std::optional<StoredWeight> find(std::string_view name) const = 0;
};

/// Places by path ("decoder.mid_block.resnets.0.conv1").
using Places = std::set<std::string, std::less<>>;

/// How weights enter the graph.
struct WeightPolicy {
  DType compute = DType::kF32;    // dtype that the network computes in
  const Places* exact = nullptr;  // those that compute in float32 all the same; outlive the scopes
  bool convert = false;  // the writer converts them to the dtype of use; else a Cast node stands
                         // behind a linked weight
};

/// A place in the checkpoint: finds weights below it and names the nodes. Cheap to copy.
/// The graph and the provider outlive it.
class Scope {
 public:
  Scope(Graph& graph, const WeightProvider& provider, WeightPolicy policy)
      : graph_(&graph), provider_(&provider), policy_(policy) {}

  /// The child place `name` ("conv1", "resnets.0").
  Scope operator/(std::string_view name) const;
  Scope operator/(int index) const { return *this / std::to_string(index); }

  /// The same place computing in another dtype, with everything below it.
  Scope in(DType dtype) const;

  /// A value in the dtype of this place. The Cast, where there has to be one, is named after it.
  Value operand(Value x) const;

  Graph& graph() const { return *graph_; }
  const std::string& path() const { return path_; }
  DType dtype() const;

  bool has(std::string_view name) const { return provider_->find(full_name(name)).has_value(); }

  /// The weight in the scope's dtype. Stored shapes may have trailing ones more or less: a 1x1
  /// convolution is a matrix.
  /// @throws Error{kMissingTensor}, Error{kShapeMismatch} naming the tensor, the expected and the
  /// found.
  Value weight(std::string_view name, const Shape& shape) const;

  /// The same in the dtype that is stored: a table is gathered from first and cast afterwards.
  Value table(std::string_view name, const Shape& shape) const;

  /// A matrix [out,in] of the checkpoint as [in,out], to be multiplied from the right. Rows as in
  /// `rows`.
  Value matrix(std::string_view name, std::int64_t out, std::int64_t in) const;

  /// Rows first .. first+count of a matrix of `out` rows, as [in,count]: half of a GEGLU projection
  /// is a range.
  Value matrix_rows(std::string_view name, std::int64_t out, std::int64_t in, std::int64_t first,
                    std::int64_t count) const;

  /// Elements first .. first+count of a vector of `size`.
  Value vector_part(std::string_view name, std::int64_t size, std::int64_t first,
                    std::int64_t count) const;

 private:
  std::string full_name(std::string_view name) const;
  StoredWeight find(std::string_view name, const Shape& shape) const;
  Value place(const StoredWeight& stored, const std::string& canonical) const;

  Graph* graph_;
  const WeightProvider* provider_;
  WeightPolicy policy_;
  std::string path_;
};

/// While it lives, nodes added to the graph are named after the scope.
class Within {
 public:
  explicit Within(const Scope& scope) : graph_(scope.graph()), outer_(graph_.scope()) {
    graph_.set_scope(scope.path());
  }
  ~Within() { graph_.set_scope(outer_); }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;

 private:
  Graph& graph_;
  std::string outer_;
};

}  // namespace sinter::graph
