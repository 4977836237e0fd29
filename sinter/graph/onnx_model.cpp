#include "sinter/graph/onnx_model.h"

#include <fmt/format.h>
#include <onnx.pb.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/base/shape.h"
#include "sinter/graph/external_data.h"
#include "sinter/graph/model_proto.h"
#include "sinter/graph/onnx_outline.h"
#include "sinter/graph/moving_ops.h"
#include "sinter/graph/rounded_values.h"

namespace sinter::graph {
namespace fs = std::filesystem;
namespace {

// Smaller external tensors are put into the model: sizes, scales and axes, which an engine may have
// to know while it reads the graph.
constexpr std::size_t kWeightBytes = 4096;

ValueDeclaration declaration(const onnx::ValueInfoProto& info, DType dtype) {
  ValueDeclaration result{.name = info.name(), .dtype = dtype, .shape = {}, .symbols = {}};
  const onnx::TypeProto::Tensor& type = info.type().tensor_type();
  result.ranked = type.has_shape();
  for (const onnx::TensorShapeProto::Dimension& dimension : type.shape().dim()) {
    const bool fixed = dimension.has_dim_value() && dimension.dim_value() >= 0;
    result.shape.push_back(fixed ? dimension.dim_value() : -1);
    result.symbols.push_back(fixed ? std::string() : dimension.dim_param());
  }
  return result;
}

std::optional<DType> tensor_dtype(const onnx::ValueInfoProto& info) {
  if (!info.type().has_tensor_type()) return std::nullopt;
  return dtype_from_onnx(info.type().tensor_type().elem_type());
}

ValueDeclaration required_declaration(const onnx::ValueInfoProto& info, const char* role) {
  if (const std::optional<DType> dtype = tensor_dtype(info)) return declaration(info, *dtype);
  throw Error(ErrorCode::kUnsupported,
              fmt::format("{} '{}' is not a tensor of numbers", role, info.name()));
}

int coarseness(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return 1;
    case DType::kF32:
      return 2;
    case DType::kF16:
      return 3;
    case DType::kBF16:
      return 4;
    case DType::kF8E4M3:
    case DType::kF8E5M2:
      return 5;
    default:
      return 0;
  }
}

}  // namespace

struct OnnxModel::State {
  fs::path path;
  onnx::ModelProto model;
  int own_outputs = 0;
  int own_nodes = 0;
  int extremes = 0;  // outputs before the own ones
  ExternalFiles files;

  const onnx::GraphProto& graph() const { return model.graph(); }

  void parse(std::span<const std::byte> bytes) {
    model = parse_model(bytes, path);
    own_outputs = model.graph().output_size();
    own_nodes = model.graph().node_size();
  }

  void read_links() {
    files.set_model(path);
    for (const onnx::StringStringEntryProto& entry : model.metadata_props()) {
      if (entry.key().starts_with(kLinkKeyPrefix)) {
        files.add_link(link_record_from_json(entry.value()));
      }
    }
  }

  // Only for tensors that map_external() has checked.
  std::span<const std::byte> external_bytes(const onnx::TensorProto& tensor) const {
    const ExternalRange range = external_range(tensor);
    const ExternalFile& file = files.at(range.location);
    const std::uint64_t length =
        range.length.value_or(payload_bytes(tensor).value_or(file.bytes.size() - range.offset));
    return file.bytes.subspan(static_cast<std::size_t>(range.offset),
                              static_cast<std::size_t>(length));
  }

  bool is_weight(const onnx::TensorProto& tensor) const {
    return tensor.data_location() == onnx::TensorProto::EXTERNAL &&
           dtype_from_onnx(tensor.data_type()) && external_bytes(tensor).size() >= kWeightBytes;
  }

  void map_external() {
    visit_tensors(model, [this](onnx::TensorProto& tensor) {
      if (tensor.data_location() != onnx::TensorProto::EXTERNAL) return;
      try {
        const ExternalRange range = external_range(tensor);
        check_range(tensor, range, files.open(range.location).bytes.size());
      } catch (Error& error) {
        if (error.code() == ErrorCode::kBadFile) {
          error.add_context(fmt::format("locating tensor '{}'", tensor.name()));
        }
        throw;
      }
    });
  }
};

OnnxModel::OnnxModel(std::unique_ptr<State> state) : state_(std::move(state)) {}
OnnxModel::~OnnxModel() = default;
OnnxModel::OnnxModel(OnnxModel&&) noexcept = default;
OnnxModel& OnnxModel::operator=(OnnxModel&&) noexcept = default;

OnnxModel OnnxModel::load(const fs::path& path) {
  const MappedFile file(path);
  return parse(file.bytes(), path);
}

OnnxModel OnnxModel::parse(std::span<const std::byte> bytes, const fs::path& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  try {
    state->parse(bytes);
    state->read_links();
    state->map_external();
  } catch (Error& error) {
    error.add_context(fmt::format("reading {}", path.string()));
    throw;
  }
  return OnnxModel(std::move(state));
}

const fs::path& OnnxModel::path() const { return state_->path; }

std::vector<ValueDeclaration> OnnxModel::inputs() const {
  std::set<std::string_view> initializers;
  for (const onnx::TensorProto& tensor : state_->graph().initializer()) {
    initializers.insert(tensor.name());
  }
  std::vector<ValueDeclaration> result;
  for (const onnx::ValueInfoProto& info : state_->graph().input()) {
    if (initializers.contains(info.name())) continue;
    result.push_back(required_declaration(info, "input"));
  }
  return result;
}

std::vector<ValueDeclaration> OnnxModel::outputs() const {
  std::vector<ValueDeclaration> result;
  for (const onnx::ValueInfoProto& info : state_->graph().output()) {
    result.push_back(required_declaration(info, "output"));
  }
  return result;
}

std::vector<ValueDeclaration> OnnxModel::values() const {
  std::vector<ValueDeclaration> result;
  for (const onnx::ValueInfoProto& info : state_->graph().value_info()) {
    if (const std::optional<DType> dtype = tensor_dtype(info)) {
      result.push_back(declaration(info, *dtype));
    }
  }
  return result;
}

std::vector<NodeSummary> OnnxModel::nodes() const {
  std::vector<NodeSummary> result;
  for (const onnx::NodeProto& node : state_->graph().node()) {
    result.push_back({node.name(),
                      node.op_type(),
                      {node.input().begin(), node.input().end()},
                      {node.output().begin(), node.output().end()}});
  }
  return result;
}

std::optional<std::string> OnnxModel::metadata(std::string_view key) const {
  for (const onnx::StringStringEntryProto& entry : state_->model.metadata_props()) {
    if (entry.key() == key) return entry.value();
  }
  return std::nullopt;
}

DType OnnxModel::compute_dtype() const {
  DType result = DType::kI64;
  const auto consider = [&result](std::optional<DType> dtype) {
    if (dtype && coarseness(*dtype) > coarseness(result)) result = *dtype;
  };
  const onnx::GraphProto& graph = state_->graph();
  std::map<std::string_view, std::optional<DType>> types;
  for (const onnx::ValueInfoProto& info : graph.value_info()) {
    types.emplace(info.name(), tensor_dtype(info));
  }
  for (const onnx::ValueInfoProto& info : graph.output()) {
    types.emplace(info.name(), tensor_dtype(info));
  }
  for (const onnx::NodeProto& node : graph.node()) {
    if (moves_data(node.op_type())) continue;
    for (const std::string& output : node.output()) {
      if (const auto found = types.find(output); found != types.end()) consider(found->second);
    }
  }
  if (coarseness(result) == 0) {
    for (const onnx::ValueInfoProto& info : graph.input()) consider(tensor_dtype(info));
    for (const onnx::ValueInfoProto& info : graph.output()) consider(tensor_dtype(info));
    for (const onnx::TensorProto& tensor : graph.initializer()) {
      consider(dtype_from_onnx(tensor.data_type()));
    }
  }
  return coarseness(result) == 0 ? DType::kF32 : result;
}

std::string extreme_of(std::string_view value) { return fmt::format("extreme/{}", value); }

void OnnxModel::expose(std::span<const std::string> values) {
  onnx::GraphProto& graph = *state_->model.mutable_graph();
  std::map<std::string_view, const onnx::ValueInfoProto*> known;
  for (const onnx::ValueInfoProto& info : graph.value_info()) known.emplace(info.name(), &info);
  std::set<std::string> present;
  for (const onnx::ValueInfoProto& info : graph.output()) present.insert(info.name());
  for (const std::string& value : values) {
    if (!present.insert(value).second) continue;
    const auto found = known.find(value);
    if (found == known.end()) {
      throw Error(ErrorCode::kUsage,
                  fmt::format("{} declares no inner value '{}'", path().string(), value));
    }
    *graph.add_output() = *found->second;
  }
}

void OnnxModel::expose_extremes(std::span<const std::string> values) {
  onnx::GraphProto& graph = *state_->model.mutable_graph();
  google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> others;
  others.Swap(graph.mutable_output());
  for (const std::string& value : values) {
    const std::string name = extreme_of(value);
    onnx::NodeProto& size = *graph.add_node();
    size.set_name(name + "/Abs");
    size.set_op_type("Abs");
    size.add_input(value);
    size.add_output(name + "/Abs");
    onnx::NodeProto& largest = *graph.add_node();
    largest.set_name(name + "/ReduceMax");
    largest.set_op_type("ReduceMax");
    largest.add_input(name + "/Abs");
    largest.add_output(name);
    onnx::AttributeProto& keep = *largest.add_attribute();
    keep.set_name("keepdims");
    keep.set_type(onnx::AttributeProto::INT);
    keep.set_i(0);
    onnx::ValueInfoProto& output = *graph.add_output();
    output.set_name(name);
    onnx::TypeProto::Tensor& type = *output.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::FLOAT);
    type.mutable_shape();
  }
  state_->extremes += static_cast<int>(values.size());
  // OpenVINO orders nodes from the first output on: before the others, each extreme is computed as
  // soon as its value is there, which can go then.
  for (onnx::ValueInfoProto& output : others) graph.add_output()->Swap(&output);
}

void OnnxModel::hide_exposed() {
  onnx::GraphProto& graph = *state_->model.mutable_graph();
  auto& outputs = *graph.mutable_output();
  outputs.DeleteSubrange(0, std::exchange(state_->extremes, 0));
  outputs.DeleteSubrange(state_->own_outputs, outputs.size() - state_->own_outputs);
  auto& nodes = *graph.mutable_node();
  nodes.DeleteSubrange(state_->own_nodes, nodes.size() - state_->own_nodes);
}

const std::vector<ExternalFile>& OnnxModel::files() const { return state_->files.all(); }

namespace {

std::string to_bytes(const onnx::ModelProto& model, const fs::path& path) {
  const std::uint64_t bytes = model.ByteSizeLong();
  if (bytes > kProtobufLimit) {
    throw Error(ErrorCode::kBadFile,
                path.string() +
                    fmt::format(": the model has {} bytes, more than the {} that protobuf allows",
                                bytes, kProtobufLimit),
                kInlineHint);
  }
  return model.SerializeAsString();
}

void weights_to_inputs(onnx::GraphProto& graph, const std::set<std::string>& names) {
  std::set<std::string> present;
  for (const onnx::ValueInfoProto& info : graph.input()) present.insert(info.name());
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    if (!names.contains(tensor.name()) || !present.insert(tensor.name()).second) continue;
    onnx::ValueInfoProto& info = *graph.add_input();
    info.set_name(tensor.name());
    onnx::TypeProto::Tensor& type = *info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(tensor.data_type());
    type.mutable_shape();
    for (const std::int64_t extent : tensor.dims()) {
      type.mutable_shape()->add_dim()->set_dim_value(extent);
    }
  }
  auto& initializers = *graph.mutable_initializer();
  initializers.erase(std::remove_if(initializers.begin(), initializers.end(),
                                    [&](const onnx::TensorProto& tensor) {
                                      return names.contains(tensor.name());
                                    }),
                     initializers.end());
}

}  // namespace

std::vector<Weight> OnnxModel::weights() const {
  std::vector<Weight> result;
  for (const onnx::TensorProto& tensor : state_->graph().initializer()) {
    if (!state_->is_weight(tensor)) continue;
    result.push_back({tensor.name(), *dtype_from_onnx(tensor.data_type()), shape_of(tensor),
                      state_->external_bytes(tensor)});
  }
  return result;
}

std::string OnnxModel::serialized(WeightForm form, Rounding rounding) const {
  const bool inputs = form == WeightForm::kInputs;
  const bool rounded = rounding == Rounding::kDeclaredTypes;
  // A model with all its weights inside needs no change, and a copy may be large.
  if (state_->files.all().empty() && !rounded) return to_bytes(state_->model, state_->path);
  onnx::ModelProto copy = state_->model;
  std::set<const onnx::TensorProto*> kept;
  std::set<std::string> weight_names;
  for (const onnx::TensorProto& tensor : copy.graph().initializer()) {
    if (!state_->is_weight(tensor)) continue;
    kept.insert(&tensor);
    weight_names.insert(tensor.name());
  }
  visit_tensors(copy, [&](onnx::TensorProto& tensor) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL || kept.contains(&tensor)) return;
    const std::span<const std::byte> bytes = state_->external_bytes(tensor);
    tensor.set_raw_data(bytes.data(), bytes.size());
    tensor.clear_external_data();
    tensor.clear_data_location();
  });
  if (rounded) round_values(copy, state_->path);
  if (inputs) weights_to_inputs(*copy.mutable_graph(), weight_names);
  return to_bytes(copy, state_->path);
}

Outline OnnxModel::outline() const { return outline_of(state_->model, state_->path); }

}  // namespace sinter::graph
