#include "sinter/graph/onnx_writer.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>

#include "onnx.pb.h"
#include "sinter/base/error.h"

namespace sinter::graph {
namespace {

/// The operator set of a graph and the file format of its time.
struct Version {
  int opset;
  int ir;
};

// The newest that every TensorRT since 8.6 parses.
constexpr Version kPortable{17, 8};
// The first whose convolutions take bfloat16. What reads bfloat16 at all reads it.
constexpr Version kBFloat16{22, 10};

Version version_of(const Graph& graph) {
  const bool found = std::ranges::any_of(
      graph.inner_values(), [](const ValueType& value) { return value.dtype == DType::kBF16; });
  return found ? kBFloat16 : kPortable;
}

void set_property(onnx::ModelProto& model, const std::string& key, const std::string& value) {
  onnx::StringStringEntryProto& entry = *model.add_metadata_props();
  entry.set_key(key);
  entry.set_value(value);
}

void set_external(onnx::TensorProto& tensor, const std::string& key, const std::string& value) {
  onnx::StringStringEntryProto& entry = *tensor.add_external_data();
  entry.set_key(key);
  entry.set_value(value);
}

void write_type(const ValueType& value, onnx::ValueInfoProto& proto) {
  proto.set_name(value.name);
  onnx::TypeProto::Tensor& tensor = *proto.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(dtype_info(value.dtype).onnx);
  onnx::TensorShapeProto& shape = *tensor.mutable_shape();
  for (const Dim& dim : value.dims) {
    if (dim.is_static()) {
      shape.add_dim()->set_dim_value(dim.value());
    } else {
      shape.add_dim()->set_dim_param(dim.text());
    }
  }
}

struct AttributeWriter {
  onnx::AttributeProto& proto;

  void operator()(std::int64_t value) const {
    proto.set_type(onnx::AttributeProto::INT);
    proto.set_i(value);
  }
  void operator()(float value) const {
    proto.set_type(onnx::AttributeProto::FLOAT);
    proto.set_f(value);
  }
  void operator()(const std::string& value) const {
    proto.set_type(onnx::AttributeProto::STRING);
    proto.set_s(value);
  }
  void operator()(const std::vector<std::int64_t>& values) const {
    proto.set_type(onnx::AttributeProto::INTS);
    proto.mutable_ints()->Add(values.begin(), values.end());
  }
};

void write_node(const Node& node, onnx::NodeProto& proto) {
  proto.set_name(node.name);
  proto.set_op_type(node.op);
  for (const std::string& input : node.inputs) proto.add_input(input);
  for (const std::string& output : node.outputs) proto.add_output(output);
  for (const auto& [name, value] : node.attributes) {
    onnx::AttributeProto& attribute = *proto.add_attribute();
    attribute.set_name(name);
    std::visit(AttributeWriter{attribute}, value);
  }
}

void write_initializer(const Initializer& initializer, const OnnxWriteOptions& options,
                       onnx::TensorProto& proto) {
  proto.set_name(initializer.name);
  proto.set_data_type(dtype_info(initializer.dtype).onnx);
  for (const std::int64_t extent : initializer.shape) proto.add_dims(extent);
  if (const auto* bytes = std::get_if<std::vector<std::byte>>(&initializer.data)) {
    proto.set_raw_data(bytes->data(), bytes->size());
    return;
  }
  const auto found = options.placements.find(initializer.name);
  if (found == options.placements.end()) {
    throw Error(ErrorCode::kInternal,
                fmt::format("the initializer '{}' has no place in a data file", initializer.name));
  }
  const std::int64_t bytes =
      element_count(initializer.shape) * static_cast<std::int64_t>(dtype_bytes(initializer.dtype));
  proto.set_data_location(onnx::TensorProto::EXTERNAL);
  set_external(proto, "location", found->second.location);
  set_external(proto, "offset", fmt::to_string(found->second.offset));
  set_external(proto, "length", fmt::to_string(bytes));
}

}  // namespace

std::string to_onnx(const Graph& graph, const OnnxWriteOptions& options) {
  onnx::ModelProto model;
  const Version version = version_of(graph);
  model.set_ir_version(version.ir);
  model.set_producer_name("sinter");
  model.set_producer_version(options.producer_version);
  model.add_opset_import()->set_version(version.opset);
  for (std::size_t i = 0; i < options.links.size(); ++i)
    set_property(model, fmt::format("{}{}", kLinkKeyPrefix, i), to_json(options.links[i]));
  for (const auto& [key, value] : options.metadata) set_property(model, key, value);

  onnx::GraphProto& proto = *model.mutable_graph();
  proto.set_name(graph.name());
  for (const ValueType& input : graph.inputs()) write_type(input, *proto.add_input());
  for (const ValueType& output : graph.outputs()) write_type(output, *proto.add_output());
  for (const ValueType& value : graph.inner_values()) write_type(value, *proto.add_value_info());
  for (const Node& node : graph.nodes()) write_node(node, *proto.add_node());
  for (const Initializer& initializer : graph.initializers())
    write_initializer(initializer, options, *proto.add_initializer());

  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  model.SerializeToCodedStream(&coded);
  return bytes;
}

}  // namespace sinter::graph
