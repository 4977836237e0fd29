#include "sinter/graph/model_proto.h"

#include <fmt/format.h>
#include <onnx.pb.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "sinter/base/error.h"

namespace sinter::graph {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void damaged(const fs::path& path, std::string_view what, std::string hint) {
  throw Error(ErrorCode::kBadFile, fmt::format("{}: {}", path.string(), what), std::move(hint));
}

std::string foreign_hint(std::span<const std::byte> bytes) {
  const std::string_view text(static_cast<const char*>(static_cast<const void*>(bytes.data())),
                              std::min<std::size_t>(bytes.size(), 64));
  struct Row {
    std::string_view start;
    const char* hint;
  };
  constexpr Row kForeign[] = {
      {"version https://git-lfs", "this is a Git LFS pointer; fetch the real file (git lfs pull)"},
      {"<", "this looks like a web page saved in place of the file; download it again"},
      {"PK", "this is a zip archive"},
      {"{", "this is JSON text"},
  };
  for (const Row& row : kForeign) {
    if (text.starts_with(row.start)) return row.hint;
  }
  return "the download or export may have stopped early";
}

void visit_tensors(onnx::GraphProto& graph, const TensorVisitor& visit);

void visit_tensors(onnx::SparseTensorProto& tensor, const TensorVisitor& visit) {
  if (tensor.has_values()) visit(*tensor.mutable_values());
  if (tensor.has_indices()) visit(*tensor.mutable_indices());
}

void visit_tensors(google::protobuf::RepeatedPtrField<onnx::AttributeProto>& attributes,
                   const TensorVisitor& visit) {
  for (onnx::AttributeProto& attribute : attributes) {
    if (attribute.has_t()) visit(*attribute.mutable_t());
    for (onnx::TensorProto& tensor : *attribute.mutable_tensors()) visit(tensor);
    if (attribute.has_sparse_tensor()) visit_tensors(*attribute.mutable_sparse_tensor(), visit);
    for (onnx::SparseTensorProto& tensor : *attribute.mutable_sparse_tensors()) {
      visit_tensors(tensor, visit);
    }
    if (attribute.has_g()) visit_tensors(*attribute.mutable_g(), visit);
    for (onnx::GraphProto& inner : *attribute.mutable_graphs()) visit_tensors(inner, visit);
  }
}

void visit_tensors(google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes,
                   const TensorVisitor& visit) {
  for (onnx::NodeProto& node : nodes) visit_tensors(*node.mutable_attribute(), visit);
}

void visit_tensors(onnx::GraphProto& graph, const TensorVisitor& visit) {
  for (onnx::TensorProto& tensor : *graph.mutable_initializer()) visit(tensor);
  for (onnx::SparseTensorProto& tensor : *graph.mutable_sparse_initializer()) {
    visit_tensors(tensor, visit);
  }
  visit_tensors(*graph.mutable_node(), visit);
}

}  // namespace

onnx::ModelProto parse_model(std::span<const std::byte> bytes, const fs::path& path) {
  if (bytes.size() > kProtobufLimit) {
    damaged(path,
            fmt::format("the ONNX file has {} bytes, more than the {} that protobuf allows",
                        bytes.size(), kProtobufLimit),
            kInlineHint);
  }
  onnx::ModelProto model;
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) || !model.has_graph()) {
    damaged(path, fmt::format("not an ONNX model, or a damaged one ({} bytes)", bytes.size()),
            foreign_hint(bytes));
  }
  return model;
}

void visit_tensors(onnx::ModelProto& model, const TensorVisitor& visit) {
  visit_tensors(*model.mutable_graph(), visit);
  for (onnx::TrainingInfoProto& training : *model.mutable_training_info()) {
    if (training.has_initialization()) visit_tensors(*training.mutable_initialization(), visit);
    if (training.has_algorithm()) visit_tensors(*training.mutable_algorithm(), visit);
  }
  for (onnx::FunctionProto& function : *model.mutable_functions()) {
    visit_tensors(*function.mutable_node(), visit);
    visit_tensors(*function.mutable_attribute_proto(), visit);
  }
}

}  // namespace sinter::graph
