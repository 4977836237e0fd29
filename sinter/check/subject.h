#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/check/check.h"

namespace sinter::check {

/// A node and what surrounds it.
struct NodeAt {
  const graph::OutlineNode* node;
  const std::map<std::string, std::int64_t>* opsets;  // of the model or of the function
  const graph::OutlineFunction* function;             // null: in the graph
  bool inner;                                         // in the body of an If, Loop or Scan

  Place place() const;
};

/// A tensor and whose it is.
struct TensorAt {
  const graph::OutlineTensor* tensor;
  const graph::OutlineNode* node;  // null: an initializer
  bool inner;                      // of a subgraph or function

  Place place() const;
};

/// A file with what the rules ask of it, found once.
class Subject {
 public:
  /// Both must outlive the subject.
  Subject(const graph::Outline& file, const Options& options);

  const graph::Outline& file() const { return file_; }
  const graph::OutlineGraph& graph() const { return file_.graph; }
  const Options& options() const { return options_; }
  const TargetFacts& target() const { return facts(options_.target); }
  bool for_target(Targets targets) const { return (bit(options_.target) & targets) != 0; }

  /// Whether sinter wrote it.
  bool own() const { return file_.linked || file_.producer.starts_with("sinter"); }

  /// Of the graph, of its bodies and of the file's functions, in the file's order.
  const std::vector<NodeAt>& nodes() const { return nodes_; }

  /// Initializers and tensors of attributes, wherever they are.
  const std::vector<TensorAt>& tensors() const { return tensors_; }

  /// Version of ONNX's own operators in the graph; 0: it is not imported.
  std::int64_t opset() const;

  /// The node of the graph that makes a value, or null.
  const graph::OutlineNode* producer(std::string_view value) const;

  /// The initializer of the graph, or null.
  const graph::OutlineTensor* initializer(std::string_view name) const;

  /// Inputs that a caller has to give: those that are no initializers.
  std::vector<const graph::OutlineValue*> inputs() const;

  /// The same number in every run: an initializer that no caller can replace, or computed from such
  /// by nodes without chance or state.
  bool constant(std::string_view value) const { return constants_.contains(value); }

  /// Element type (TensorProto.DataType) of a value of the graph, 0 where the file does not tell.
  int type_of(std::string_view value) const;

  const graph::OutlineFunction* function(std::string_view domain, std::string_view name) const;

 private:
  void collect(const graph::OutlineGraph& graph, NodeAt around);
  void collect(const std::vector<graph::OutlineNode>& nodes, NodeAt around);
  void find_constants();
  void find_types();

  const graph::Outline& file_;
  const Options& options_;
  std::vector<NodeAt> nodes_;
  std::vector<TensorAt> tensors_;
  std::map<std::string_view, const graph::OutlineNode*> producers_;
  std::map<std::string_view, const graph::OutlineTensor*> initializers_;
  std::set<std::string_view> constants_;
  std::map<std::string_view, int> types_;
};

/// Whether an operator gives the same results for the same inputs, and nothing else happens.
bool is_pure(const graph::OutlineNode& node);

/// Names that the bodies of a node take from outside.
std::vector<std::string_view> captured(const graph::OutlineNode& node);

}  // namespace sinter::check
