#include "sinter/graph/onnx_edit.h"

#include <fmt/format.h>
#include <onnx.pb.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/graph/external_data.h"
#include "sinter/graph/link_record.h"
#include "sinter/graph/model_proto.h"

namespace sinter::graph {
namespace fs = std::filesystem;
namespace {

using Names = std::set<std::string, std::less<>>;

template <typename Field, typename Gone>
void remove_if(Field& field, Gone gone) {
  field.erase(std::remove_if(field.begin(), field.end(), gone), field.end());
}

void add_names(const onnx::GraphProto& body, Names& names);

// What a node reads, also from inside its bodies. Names that a body makes for itself come along:
// one name too many keeps something that could go.
void add_names(const onnx::NodeProto& node, Names& names) {
  names.insert(node.input().begin(), node.input().end());
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.has_g()) add_names(attribute.g(), names);
    for (const onnx::GraphProto& body : attribute.graphs()) add_names(body, names);
  }
}

void add_names(const onnx::GraphProto& body, Names& names) {
  for (const onnx::NodeProto& node : body.node()) add_names(node, names);
  for (const onnx::ValueInfoProto& output : body.output()) names.insert(output.name());
}

void set_entry(onnx::TensorProto& tensor, const char* key, std::string value) {
  onnx::StringStringEntryProto& entry = *tensor.add_external_data();
  entry.set_key(key);
  entry.set_value(std::move(value));
}

void set_placement(onnx::TensorProto& tensor, const Placement& placement, std::uint64_t length) {
  tensor.clear_external_data();
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  set_entry(tensor, "location", placement.location);
  set_entry(tensor, "offset", std::to_string(placement.offset));
  if (length > 0) set_entry(tensor, "length", std::to_string(length));
}

bool is_own(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

using Renames = std::map<std::string, std::string, std::less<>>;

// In the bodies too: a name means the same value wherever it is seen.
void rename_inputs(onnx::NodeProto& node, const Renames& renames);

void rename_inputs(onnx::GraphProto& body, const Renames& renames) {
  for (onnx::NodeProto& node : *body.mutable_node()) rename_inputs(node, renames);
  for (onnx::ValueInfoProto& output : *body.mutable_output()) {
    const auto found = renames.find(output.name());
    if (found != renames.end()) output.set_name(found->second);
  }
}

void rename_inputs(onnx::NodeProto& node, const Renames& renames) {
  for (std::string& input : *node.mutable_input()) {
    const auto found = renames.find(input);
    if (found != renames.end()) input = found->second;
  }
  for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
    if (attribute.has_g()) rename_inputs(*attribute.mutable_g(), renames);
    for (onnx::GraphProto& body : *attribute.mutable_graphs()) rename_inputs(body, renames);
  }
}

// The value of a Constant node as a tensor, or nothing where it is none of numbers.
std::optional<onnx::TensorProto> constant_value(const onnx::NodeProto& node) {
  std::optional<onnx::TensorProto> found;
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    const std::string& name = attribute.name();
    if (name == "value" && attribute.has_t()) {
      found = attribute.t();
    } else if (name == "value_int" || name == "value_ints") {
      onnx::TensorProto& tensor = found.emplace();
      tensor.set_data_type(onnx::TensorProto::INT64);
      if (name == "value_int") tensor.add_int64_data(attribute.i());
      for (const std::int64_t value : attribute.ints()) tensor.add_int64_data(value);
      if (name == "value_ints") tensor.add_dims(attribute.ints_size());
    } else if (name == "value_float" || name == "value_floats") {
      onnx::TensorProto& tensor = found.emplace();
      tensor.set_data_type(onnx::TensorProto::FLOAT);
      if (name == "value_float") tensor.add_float_data(attribute.f());
      for (const float value : attribute.floats()) tensor.add_float_data(value);
      if (name == "value_floats") tensor.add_dims(attribute.floats_size());
    } else {
      return std::nullopt;
    }
  }
  return found;
}

onnx::TensorProto& new_initializer(onnx::ModelProto& model, const std::string& name, DType dtype,
                                   const Shape& shape) {
  onnx::TensorProto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(dtype_info(dtype).onnx);
  for (const std::int64_t extent : shape) tensor.add_dims(extent);
  return tensor;
}

std::string serialized(const onnx::ModelProto& model, const fs::path& path) {
  if (model.ByteSizeLong() > kProtobufLimit) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("{}: the model has {} bytes, more than the {} that protobuf allows",
                            path.string(), model.ByteSizeLong(), kProtobufLimit),
                kInlineHint);
  }
  return model.SerializeAsString();
}

}  // namespace

struct OnnxEdit::State {
  fs::path path;
  onnx::ModelProto model;

  onnx::GraphProto& graph() { return *model.mutable_graph(); }

  Names output_names() const {
    Names names;
    for (const onnx::ValueInfoProto& output : model.graph().output()) names.insert(output.name());
    return names;
  }
};

OnnxEdit::OnnxEdit(const fs::path& path) : state_(std::make_unique<State>()) {
  const MappedFile file(path);
  state_->path = path;
  state_->model = parse_model(file.bytes(), path);
}

OnnxEdit::~OnnxEdit() = default;
OnnxEdit::OnnxEdit(OnnxEdit&&) noexcept = default;

Outline OnnxEdit::outline() const { return outline_of(state_->model, state_->path); }

void OnnxEdit::modernize() {
  constexpr std::int64_t kFreeInitializers = 4;
  if (state_->model.ir_version() >= kFreeInitializers) return;
  state_->model.set_ir_version(kFreeInitializers);
  Names initializers;
  for (const onnx::TensorProto& tensor : state_->graph().initializer()) {
    initializers.insert(tensor.name());
  }
  remove_if(*state_->graph().mutable_input(),
            [&](const onnx::ValueInfoProto& input) { return initializers.contains(input.name()); });
}

std::size_t OnnxEdit::lift_constants() {
  const Names outputs = state_->output_names();
  std::size_t count = 0;
  remove_if(*state_->graph().mutable_node(), [&](const onnx::NodeProto& node) {
    if (node.op_type() != "Constant" || !is_own(node.domain()) || node.output_size() != 1 ||
        outputs.contains(node.output(0))) {
      return false;
    }
    std::optional<onnx::TensorProto> value = constant_value(node);
    if (!value) return false;
    value->set_name(node.output(0));
    *state_->graph().add_initializer() = std::move(*value);
    ++count;
    return true;
  });
  return count;
}

std::size_t OnnxEdit::bypass_identities() {
  const Names outputs = state_->output_names();
  Names fixed;
  for (const onnx::TensorProto& tensor : state_->graph().initializer()) fixed.insert(tensor.name());
  for (const onnx::ValueInfoProto& input : state_->graph().input()) fixed.erase(input.name());
  Renames renames;
  const std::size_t before = static_cast<std::size_t>(state_->graph().node_size());
  remove_if(*state_->graph().mutable_node(), [&](const onnx::NodeProto& node) {
    const bool bypassed = node.op_type() == "Identity" && is_own(node.domain()) &&
                          node.input_size() == 1 && node.output_size() == 1 &&
                          !outputs.contains(node.output(0));
    if (!bypassed) return false;
    const auto earlier = renames.find(node.input(0));
    const std::string& source = earlier == renames.end() ? node.input(0) : earlier->second;
    if (!fixed.contains(source)) return false;
    renames.emplace(node.output(0), source);
    return true;
  });
  for (onnx::NodeProto& node : *state_->graph().mutable_node()) rename_inputs(node, renames);
  return before - static_cast<std::size_t>(state_->graph().node_size());
}

std::string OnnxEdit::part(std::span<const std::size_t> nodes,
                           std::span<const TypedName> outputs) const {
  onnx::ModelProto part;
  part.set_ir_version(state_->model.ir_version());
  *part.mutable_opset_import() = state_->model.opset_import();
  *part.mutable_functions() = state_->model.functions();
  for (const onnx::StringStringEntryProto& entry : state_->model.metadata_props()) {
    if (entry.key().starts_with(kLinkKeyPrefix)) *part.add_metadata_props() = entry;
  }
  onnx::GraphProto& graph = *part.mutable_graph();
  graph.set_name("part");
  Names read;
  for (const std::size_t index : nodes) {
    const onnx::NodeProto& node = state_->model.graph().node(static_cast<int>(index));
    *graph.add_node() = node;
    add_names(node, read);
  }
  for (const onnx::TensorProto& tensor : state_->model.graph().initializer()) {
    if (read.contains(tensor.name())) *graph.add_initializer() = tensor;
  }
  for (const TypedName& output : outputs) {
    onnx::ValueInfoProto& info = *graph.add_output();
    info.set_name(output.name);
    info.mutable_type()->mutable_tensor_type()->set_elem_type(output.type);
  }
  return serialized(part, state_->path);
}

void OnnxEdit::add_constant(const std::string& name, DType dtype, const Shape& shape,
                            std::span<const std::byte> bytes) {
  new_initializer(state_->model, name, dtype, shape).set_raw_data(bytes.data(), bytes.size());
}

void OnnxEdit::add_constant(const std::string& name, DType dtype, const Shape& shape,
                            const Placement& placement, std::uint64_t length) {
  set_placement(new_initializer(state_->model, name, dtype, shape), placement, length);
}

void OnnxEdit::remove_nodes(const std::set<std::size_t>& nodes) {
  std::size_t index = 0;
  remove_if(*state_->graph().mutable_node(),
            [&](const onnx::NodeProto&) { return nodes.contains(index++); });
}

std::size_t OnnxEdit::prune() {
  onnx::GraphProto& graph = state_->graph();
  Names needed = state_->output_names();
  std::set<std::size_t> idle;
  for (int i = graph.node_size() - 1; i >= 0; --i) {
    const onnx::NodeProto& node = graph.node(i);
    const bool wanted = std::any_of(
        node.output().begin(), node.output().end(),
        [&](const std::string& output) { return !output.empty() && needed.contains(output); });
    if (wanted) {
      add_names(node, needed);
    } else {
      idle.insert(static_cast<std::size_t>(i));
    }
  }
  remove_nodes(idle);
  for (const onnx::ValueInfoProto& input : graph.input()) needed.insert(input.name());
  remove_if(*graph.mutable_initializer(),
            [&](const onnx::TensorProto& tensor) { return !needed.contains(tensor.name()); });
  Names made;
  for (const onnx::NodeProto& node : graph.node()) {
    made.insert(node.output().begin(), node.output().end());
  }
  remove_if(*graph.mutable_value_info(),
            [&](const onnx::ValueInfoProto& value) { return !made.contains(value.name()); });
  return idle.size();
}

bool OnnxEdit::seed_random() {
  constexpr std::string_view kRandom[] = {"Bernoulli",        "Multinomial",   "RandomNormal",
                                          "RandomNormalLike", "RandomUniform", "RandomUniformLike"};
  bool found = false;
  for (onnx::NodeProto& node : *state_->graph().mutable_node()) {
    if (std::ranges::find(kRandom, node.op_type()) == std::end(kRandom)) continue;
    found = true;
    remove_if(*node.mutable_attribute(),
              [](const onnx::AttributeProto& attribute) { return attribute.name() == "seed"; });
    onnx::AttributeProto& seed = *node.add_attribute();
    seed.set_name("seed");
    seed.set_type(onnx::AttributeProto::FLOAT);
    seed.set_f(1);
  }
  return found;
}

void OnnxEdit::relocate(
    const std::function<Placement(const Placement& from, std::uint64_t length)>& place) {
  visit_tensors(state_->model, [&](onnx::TensorProto& tensor) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL) return;
    const ExternalRange range = external_range(tensor);
    const std::uint64_t length = range.length.value_or(payload_bytes(tensor).value_or(0));
    const Placement from{range.location, range.offset};
    const Placement to = place(from, length);
    if (to.location != from.location || to.offset != from.offset) {
      set_placement(tensor, to, length);
    }
  });
}

void OnnxEdit::relocate_links(
    const std::function<std::string(const std::string& location)>& place) {
  Names used;
  visit_tensors(state_->model, [&](onnx::TensorProto& tensor) {
    if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
      used.insert(external_range(tensor).location);
    }
  });
  remove_if(*state_->model.mutable_metadata_props(), [&](onnx::StringStringEntryProto& entry) {
    if (!entry.key().starts_with(kLinkKeyPrefix)) return false;
    LinkRecord record = link_record_from_json(entry.value());
    record.location = place(record.location);
    entry.set_value(to_json(record));
    return !used.contains(record.location);
  });
}

std::string OnnxEdit::bytes() const { return serialized(state_->model, state_->path); }

}  // namespace sinter::graph
