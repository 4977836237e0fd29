#include "sinter/graph/onnx_outline.h"

#include <fmt/format.h>
#include <onnx.pb.h>

#include <algorithm>
#include <limits>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/graph/external_data.h"
#include "sinter/graph/model_proto.h"
#include "sinter/graph/tensor_numbers.h"

namespace sinter::graph {
namespace fs = std::filesystem;
namespace {

std::string own_domain(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

TensorFlaw flaw(DataFlaw kind, const Error& error) { return {kind, error.message(), error.hint()}; }

template <typename Field>
std::vector<double> copied(const Field& field) {
  std::vector<double> numbers;
  for (const auto value : field) numbers.push_back(static_cast<double>(value));
  return numbers;
}

class OutlineReader {
 public:
  Outline read(const onnx::ModelProto& model, const fs::path& path) {
    Outline result;
    result.path = path;
    result.ir_version = model.ir_version();
    result.producer = model.producer_name();
    if (!model.producer_version().empty()) result.producer += " " + model.producer_version();
    for (const onnx::OperatorSetIdProto& opset : model.opset_import()) {
      const std::string domain = own_domain(opset.domain());
      if (!result.opsets.emplace(domain, opset.version()).second) {
        result.repeated_domains.push_back(domain);
      }
    }
    files_.set_model(path);
    for (const onnx::StringStringEntryProto& entry : model.metadata_props()) {
      if (!entry.key().starts_with(kLinkKeyPrefix)) continue;
      files_.add_link(link_record_from_json(entry.value()));
      result.linked = true;
    }
    result.graph = graph(model.graph());
    for (const onnx::FunctionProto& function : model.functions()) {
      result.functions.push_back(this->function(function));
    }
    return result;
  }

 private:
  OutlineTensor tensor(const onnx::TensorProto& proto) {
    OutlineTensor result;
    result.name = proto.name();
    result.type = proto.data_type();
    result.dims = shape_of(proto);
    result.external = proto.data_location() == onnx::TensorProto::EXTERNAL;
    if (result.external) {
      read_external(proto, result);
      return result;
    }
    result.flaw = payload_flaw(proto);
    if (!result.flaw && result.elements() <= kSmallTensor) {
      result.values = proto.has_raw_data() ? numbers_of(proto.data_type(),
                                                        std::as_bytes(std::span(proto.raw_data())))
                                           : typed_numbers(proto);
    }
    return result;
  }

  void read_external(const onnx::TensorProto& proto, OutlineTensor& result) {
    DataFlaw stage = DataFlaw::kEntry;
    try {
      const ExternalRange range = external_range(proto);
      result.location = range.location;
      result.offset = range.offset;
      stage = DataFlaw::kOutside;
      const ExternalFile& file = files_.open(range.location);
      stage = DataFlaw::kRange;
      check_range(proto, range, file.bytes.size());
      const std::optional<std::uint64_t> bytes = payload_bytes(proto);
      if (bytes && result.elements() <= kSmallTensor) {
        result.values =
            numbers_of(proto.data_type(), file.bytes.subspan(static_cast<std::size_t>(range.offset),
                                                             static_cast<std::size_t>(*bytes)));
      }
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kIo) stage = DataFlaw::kMissing;
      if (error.code() == ErrorCode::kSourceChanged) stage = DataFlaw::kChanged;
      result.flaw = flaw(stage, error);
    }
  }

  OutlineTensor sparse(const onnx::SparseTensorProto& proto) {
    OutlineTensor result = tensor(proto.values());
    if (!result.flaw) result.flaw = tensor(proto.indices()).flaw;
    result.dims.assign(proto.dims().begin(), proto.dims().end());
    result.sparse = true;
    result.values.reset();
    return result;
  }

  OutlineAttribute attribute(const onnx::AttributeProto& proto) {
    using Kind = OutlineAttribute::Kind;
    OutlineAttribute result;
    result.name = proto.name();
    result.parameter = proto.ref_attr_name();
    switch (proto.type()) {
      case onnx::AttributeProto::INT:
        result.kind = Kind::kNumber;
        result.integer = true;
        result.numbers = {static_cast<double>(proto.i())};
        break;
      case onnx::AttributeProto::FLOAT:
        result.kind = Kind::kNumber;
        result.numbers = {static_cast<double>(proto.f())};
        break;
      case onnx::AttributeProto::INTS:
        result.kind = Kind::kNumbers;
        result.integer = true;
        result.numbers = copied(proto.ints());
        break;
      case onnx::AttributeProto::FLOATS:
        result.kind = Kind::kNumbers;
        result.numbers = copied(proto.floats());
        break;
      case onnx::AttributeProto::STRING:
        result.kind = Kind::kText;
        result.text = proto.s();
        break;
      case onnx::AttributeProto::STRINGS:
        result.kind = Kind::kTexts;
        break;
      case onnx::AttributeProto::TENSOR:
        result.kind = Kind::kTensor;
        result.tensors.push_back(tensor(proto.t()));
        break;
      case onnx::AttributeProto::SPARSE_TENSOR:
        result.kind = Kind::kTensor;
        result.tensors.push_back(sparse(proto.sparse_tensor()));
        break;
      case onnx::AttributeProto::GRAPH:
        result.kind = Kind::kGraphs;
        result.graphs.push_back(graph(proto.g()));
        break;
      case onnx::AttributeProto::GRAPHS:
        result.kind = Kind::kGraphs;
        for (const onnx::GraphProto& inner : proto.graphs()) result.graphs.push_back(graph(inner));
        break;
      case onnx::AttributeProto::UNDEFINED:
        break;
      default:
        result.kind = Kind::kOther;
        for (const onnx::TensorProto& inner : proto.tensors())
          result.tensors.push_back(tensor(inner));
        for (const onnx::SparseTensorProto& inner : proto.sparse_tensors())
          result.tensors.push_back(sparse(inner));
    }
    return result;
  }

  OutlineNode node(const onnx::NodeProto& proto) {
    OutlineNode result;
    result.name = proto.name();
    result.op = proto.op_type();
    result.domain = own_domain(proto.domain());
    result.inputs.assign(proto.input().begin(), proto.input().end());
    result.outputs.assign(proto.output().begin(), proto.output().end());
    for (const onnx::AttributeProto& inner : proto.attribute()) {
      result.attributes.push_back(attribute(inner));
    }
    return result;
  }

  static OutlineValue value(const onnx::ValueInfoProto& proto) {
    OutlineValue result;
    result.name = proto.name();
    // A value without a type says nothing; that is not the same as a sequence.
    result.tensor = proto.type().value_case() == onnx::TypeProto::VALUE_NOT_SET ||
                    proto.type().has_tensor_type();
    const onnx::TypeProto::Tensor& type = proto.type().tensor_type();
    result.type = type.elem_type();
    result.ranked = type.has_shape();
    for (const onnx::TensorShapeProto::Dimension& dimension : type.shape().dim()) {
      const bool fixed = dimension.has_dim_value() && dimension.dim_value() >= 0;
      result.dims.push_back(fixed ? dimension.dim_value() : -1);
      result.symbols.push_back(fixed ? std::string() : dimension.dim_param());
    }
    return result;
  }

  OutlineGraph graph(const onnx::GraphProto& proto) {
    OutlineGraph result;
    result.name = proto.name();
    for (const onnx::NodeProto& inner : proto.node()) result.nodes.push_back(node(inner));
    for (const onnx::TensorProto& inner : proto.initializer()) {
      result.initializers.push_back(tensor(inner));
    }
    for (const onnx::SparseTensorProto& inner : proto.sparse_initializer()) {
      result.initializers.push_back(sparse(inner));
    }
    for (const onnx::ValueInfoProto& inner : proto.input()) result.inputs.push_back(value(inner));
    for (const onnx::ValueInfoProto& inner : proto.output()) result.outputs.push_back(value(inner));
    for (const onnx::ValueInfoProto& inner : proto.value_info()) {
      result.values.push_back(value(inner));
    }
    return result;
  }

  OutlineFunction function(const onnx::FunctionProto& proto) {
    OutlineFunction result;
    result.domain = own_domain(proto.domain());
    result.name = proto.name();
    result.inputs.assign(proto.input().begin(), proto.input().end());
    result.outputs.assign(proto.output().begin(), proto.output().end());
    for (const onnx::NodeProto& inner : proto.node()) result.nodes.push_back(node(inner));
    for (const onnx::OperatorSetIdProto& opset : proto.opset_import()) {
      result.opsets.emplace(own_domain(opset.domain()), opset.version());
    }
    return result;
  }

  ExternalFiles files_;
};

}  // namespace

std::uint64_t OutlineTensor::elements() const {
  std::uint64_t count = 1;
  for (const std::int64_t extent : dims) {
    if (extent < 0) return 0;
    const auto factor = static_cast<std::uint64_t>(extent);
    if (factor != 0 && count > std::numeric_limits<std::uint64_t>::max() / factor) return 0;
    count *= factor;
  }
  return count;
}

const OutlineAttribute* OutlineNode::attribute(std::string_view attribute_name) const {
  for (const OutlineAttribute& attribute : attributes) {
    if (attribute.name == attribute_name) return &attribute;
  }
  return nullptr;
}

double OutlineNode::number(std::string_view attribute_name, double otherwise) const {
  const OutlineAttribute* found = attribute(attribute_name);
  return found != nullptr && found->numbers.size() == 1 ? found->numbers.front() : otherwise;
}

std::string_view OutlineNode::text(std::string_view attribute_name,
                                   std::string_view otherwise) const {
  const OutlineAttribute* found = attribute(attribute_name);
  return found != nullptr && !found->text.empty() ? std::string_view(found->text) : otherwise;
}

Outline read_outline(const fs::path& path) {
  const MappedFile file(path);
  return outline_of(file.bytes(), path);
}

Outline outline_of(std::span<const std::byte> bytes, const fs::path& path) {
  try {
    Outline outline = outline_of(parse_model(bytes, path), path);
    outline.bytes = bytes.size();
    return outline;
  } catch (Error& error) {
    error.add_context(fmt::format("reading {}", path.string()));
    throw;
  }
}

Outline outline_of(const onnx::ModelProto& model, const fs::path& path) {
  return OutlineReader().read(model, path);
}

std::string module_of(std::string_view node_name) {
  const std::size_t last = node_name.rfind('/');
  if (last == node_name.npos) return {};
  std::string module(node_name.substr(0, last));
  if (module.starts_with('/')) module.erase(0, 1);
  std::ranges::replace(module, '/', '.');
  return module;
}

}  // namespace sinter::graph
