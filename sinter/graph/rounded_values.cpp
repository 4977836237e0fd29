#include "sinter/graph/rounded_values.h"

#include <fmt/format.h>
#include <onnx.pb.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/graph/moving_ops.h"

namespace sinter::graph {
namespace {

bool is_short(int type) {
  return type == onnx::TensorProto::FLOAT16 || type == onnx::TensorProto::BFLOAT16;
}

// Element types by value name, of everything that the model declares.
std::map<std::string, int, std::less<>> declared_types(const onnx::GraphProto& graph) {
  std::map<std::string, int, std::less<>> types;
  for (const auto* infos : {&graph.input(), &graph.output(), &graph.value_info()}) {
    for (const onnx::ValueInfoProto& info : *infos)
      types.emplace(info.name(), info.type().tensor_type().elem_type());
  }
  for (const onnx::TensorProto& tensor : graph.initializer())
    types.emplace(tensor.name(), tensor.data_type());
  return types;
}

onnx::NodeProto cast_node(const std::string& from, const std::string& to, int type) {
  onnx::NodeProto node;
  node.set_name(to + "/rounding");
  node.set_op_type("Cast");
  node.add_input(from);
  node.add_output(to);
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name("to");
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(type);
  return node;
}

class Rounding {
 public:
  Rounding(onnx::GraphProto& graph, const std::filesystem::path& path)
      : graph_(graph), path_(path), types_(declared_types(graph)) {}

  void run() {
    google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
    nodes.Swap(graph_.mutable_node());
    for (onnx::NodeProto& node : nodes) {
      if (moves_data(node.op_type()) || !computes_short(node)) {
        graph_.add_node()->Swap(&node);
      } else {
        add_rounded(node);
      }
    }
  }

 private:
  int type_of(const std::string& value) const {
    const auto found = types_.find(value);
    return found == types_.end() ? 0 : found->second;
  }

  bool computes_short(const onnx::NodeProto& node) const {
    bool result = false;
    for (const std::string& input : node.input()) result |= is_short(type_of(input));
    for (const std::string& output : node.output()) result |= is_short(type_of(output));
    return result;
  }

  // The value in float32, made once.
  std::string wide(const std::string& value) {
    const std::string name = value + ":wide";
    if (wide_.insert(value).second)
      *graph_.add_node() = cast_node(value, name, onnx::TensorProto::FLOAT);
    return name;
  }

  void add_rounded(onnx::NodeProto& node) {
    for (std::string& input : *node.mutable_input()) {
      if (is_short(type_of(input))) input = wide(input);
    }
    std::vector<onnx::NodeProto> casts;
    for (std::string& output : *node.mutable_output()) {
      if (output.empty()) continue;
      const int type = type_of(output);
      if (type == 0) {
        throw Error(ErrorCode::kUnsupported,
                    fmt::format("{} declares no type for '{}', so that it is not known how to "
                                "round it",
                                path_.string(), output),
                    "ONNX's shape inference adds the types of inner values to a file");
      }
      if (!is_short(type)) continue;
      std::string exact = output + ":exact";
      casts.push_back(cast_node(exact, output, type));
      output = std::move(exact);
    }
    graph_.add_node()->Swap(&node);
    for (onnx::NodeProto& cast : casts) graph_.add_node()->Swap(&cast);
  }

  onnx::GraphProto& graph_;
  const std::filesystem::path& path_;
  std::map<std::string, int, std::less<>> types_;
  std::set<std::string> wide_;  // values that there is a float32 copy of
};

}  // namespace

void round_values(onnx::ModelProto& model, const std::filesystem::path& path) {
  Rounding(*model.mutable_graph(), path).run();
}

}  // namespace sinter::graph
