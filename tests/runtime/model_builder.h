#pragma once

#include <fmt/format.h>
#include <onnx.pb.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "sinter/base/file.h"
#include "sinter/base/hash.h"
#include "sinter/base/tensor.h"
#include "sinter/graph/link_record.h"

namespace sinter {

/// A folder of one test, removed at its end.
class TestFolder {
 public:
  explicit TestFolder(const std::string& name)
      : path_(std::filesystem::temp_directory_path() / fmt::format("{}.{}", name, ::getpid())) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::string as_string(std::span<const std::byte> bytes) {
  return {static_cast<const char*>(static_cast<const void*>(bytes.data())), bytes.size()};
}

/// A safetensors file of one tensor with these bytes, and where they begin.
struct SafetensorsText {
  explicit SafetensorsText(const std::string& data) {
    const std::string header = fmt::format(
        R"({{"w":{{"dtype":"U8","shape":[{0}],"data_offsets":[0,{0}]}}}})", data.size());
    std::string length(8, '\0');
    length[0] = static_cast<char>(header.size());
    header_bytes = length.size() + header.size();
    whole = length + header + data;
  }

  std::string whole;
  std::size_t header_bytes;
};

/// What sinter records of such a file when it links it under that location.
inline graph::LinkRecord record_of(const std::filesystem::path& path, const std::string& location,
                                   const SafetensorsText& text) {
  return {
      .location = location,
      .source = "/models/" + path.filename().string(),
      .bytes = text.whole.size(),
      .modified_ns = file_stamp(path).modified_ns,
      .header_bytes = text.header_bytes,
      .header_sha256 = sha256_hex(std::as_bytes(std::span(text.whole).first(text.header_bytes)))};
}

/// Writes small ONNX models by hand, independently of the product's own writer.
class ModelBuilder {
 public:
  using Dim = std::variant<std::int64_t, std::string>;  // a number or a symbol
  using Dims = std::vector<Dim>;

  ModelBuilder() {
    model_.set_ir_version(8);
    onnx::OperatorSetIdProto& opset = *model_.add_opset_import();
    opset.set_domain("");
    opset.set_version(17);
    model_.mutable_graph()->set_name("test");
  }

  ModelBuilder& input(const std::string& name, DType dtype, const Dims& dims) {
    declare(*model_.mutable_graph()->add_input(), name, dtype, dims);
    return *this;
  }
  ModelBuilder& output(const std::string& name, DType dtype, const Dims& dims) {
    declare(*model_.mutable_graph()->add_output(), name, dtype, dims);
    return *this;
  }
  ModelBuilder& value(const std::string& name, DType dtype, const Dims& dims) {
    declare(*model_.mutable_graph()->add_value_info(), name, dtype, dims);
    return *this;
  }

  /// A node with one output. The node is named `name`, and so is its output unless told.
  ModelBuilder& node(const std::string& op, const std::string& name,
                     const std::vector<std::string>& inputs, const std::string& output = {}) {
    onnx::NodeProto& node = *model_.mutable_graph()->add_node();
    node.set_op_type(op);
    node.set_name(name);
    for (const std::string& in : inputs) node.add_input(in);
    node.add_output(output.empty() ? name : output);
    return *this;
  }

  /// An integer attribute of the last node.
  ModelBuilder& attribute(const std::string& name, std::int64_t value) {
    auto& nodes = *model_.mutable_graph()->mutable_node();
    onnx::AttributeProto& attribute = *nodes[nodes.size() - 1].add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
    return *this;
  }

  ModelBuilder& initializer(const std::string& name, const Tensor& tensor) {
    onnx::TensorProto& proto = new_tensor(name, tensor.dtype(), tensor.shape());
    proto.set_raw_data(as_string(tensor.bytes()));
    return *this;
  }

  ModelBuilder& external(const std::string& name, DType dtype, const Shape& shape,
                         const std::string& location, std::uint64_t offset, std::uint64_t length) {
    onnx::TensorProto& proto = new_tensor(name, dtype, shape);
    proto.set_data_location(onnx::TensorProto::EXTERNAL);
    for (const auto& [key, value] : {std::pair<std::string, std::string>{"location", location},
                                     {"offset", std::to_string(offset)},
                                     {"length", std::to_string(length)}}) {
      onnx::StringStringEntryProto& entry = *proto.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
    return *this;
  }

  ModelBuilder& metadata(const std::string& key, const std::string& value) {
    onnx::StringStringEntryProto& entry = *model_.add_metadata_props();
    entry.set_key(key);
    entry.set_value(value);
    return *this;
  }

  ModelBuilder& link(const graph::LinkRecord& record) {
    return metadata(fmt::format("{}{}", graph::kLinkKeyPrefix, model_.metadata_props_size()),
                    graph::to_json(record));
  }

  /// The version of a domain's operators.
  ModelBuilder& set_opset(const std::string& domain, std::int64_t version) {
    for (onnx::OperatorSetIdProto& opset : *model_.mutable_opset_import()) {
      if (opset.domain() != domain) continue;
      opset.set_version(version);
      return *this;
    }
    onnx::OperatorSetIdProto& opset = *model_.add_opset_import();
    opset.set_domain(domain);
    opset.set_version(version);
    return *this;
  }

  /// For what the methods above cannot say.
  onnx::GraphProto& graph() { return *model_.mutable_graph(); }

  std::string bytes() const { return model_.SerializeAsString(); }

  std::filesystem::path save(const std::filesystem::path& path) const {
    write_file(path, bytes());
    return path;
  }

 private:
  static void declare(onnx::ValueInfoProto& info, const std::string& name, DType dtype,
                      const Dims& dims) {
    info.set_name(name);
    onnx::TypeProto::Tensor& type = *info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(dtype_info(dtype).onnx);
    type.mutable_shape();
    for (const Dim& dim : dims) {
      onnx::TensorShapeProto::Dimension& target = *type.mutable_shape()->add_dim();
      if (const auto* number = std::get_if<std::int64_t>(&dim)) target.set_dim_value(*number);
      if (const auto* symbol = std::get_if<std::string>(&dim)) target.set_dim_param(*symbol);
    }
  }

  onnx::TensorProto& new_tensor(const std::string& name, DType dtype, const Shape& shape) {
    onnx::TensorProto& proto = *model_.mutable_graph()->add_initializer();
    proto.set_name(name);
    proto.set_data_type(dtype_info(dtype).onnx);
    for (const std::int64_t extent : shape) proto.add_dims(extent);
    return proto;
  }

  onnx::ModelProto model_;
};

}  // namespace sinter
