#include "sinter/engine/layer_report.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "sinter/base/dtype.h"

namespace sinter::engine {
namespace {

std::string module_of(const std::string& node) {
  const std::size_t slash = node.rfind('/');
  return slash == std::string::npos ? node : node.substr(0, slash);
}

/// Operators that give a tensor another type, shape or order and compute nothing.
bool only_moves(std::string_view op) {
  static const std::set<std::string_view> kMoves{
      "Cast",   "Reshape", "Transpose", "Unsqueeze", "Squeeze", "Concat",   "Slice",
      "Gather", "Shape",   "Split",     "Identity",  "Expand",  "Constant", "Resize"};
  return kMoves.contains(op);
}

bool is_softmax(const std::string& layer) {
  return layer.ends_with("/Softmax") || layer.find("/Softmax_") != std::string::npos;
}

}  // namespace

GraphLayers layers_of_graph(const graph::OnnxModel& model) {
  GraphLayers layers;
  std::map<std::string, DType> types;
  for (const graph::ValueDeclaration& value : model.values()) types[value.name] = value.dtype;
  const bool half = model.compute_dtype() != DType::kF32;
  for (const graph::NodeSummary& node : model.nodes()) {
    if (node.op == "Softmax") {
      ++layers.attentions;
      if (node.name.find("attn1") != std::string::npos) ++layers.self;
      if (node.name.find("attn2") != std::string::npos) ++layers.cross;
    }
    if (node.outputs.empty() || only_moves(node.op)) continue;
    const auto type = types.find(node.outputs.front());
    if (type == types.end()) continue;
    ++layers.nodes_by_type[std::string(dtype_info(type->second).word)];
    if (half && type->second == DType::kF32) ++layers.float32_modules[module_of(node.name)];
  }
  return layers;
}

EngineLayers layers_of_engine(const EngineProgram& program) {
  EngineLayers layers;
  layers.known = program.programs > 0;
  layers.kernels = program.kernels.size();
  for (const Kernel& kernel : program.kernels) {
    if (!kernel.type.empty()) ++layers.kernels_by_type[kernel.type];
    // "SiluGnor", "Gnor": GroupNorm, with the SiLU behind it.
    if (kernel.name.find("Gnor") != std::string::npos) ++layers.fused_norms;
    if (is_fused_attention(kernel)) {
      ++layers.fused_attentions;
      continue;
    }
    const auto softmax = std::ranges::find_if(kernel.layers, is_softmax);
    if (softmax != kernel.layers.end()) layers.unfused_attentions.push_back(module_of(*softmax));
  }
  return layers;
}

}  // namespace sinter::engine
