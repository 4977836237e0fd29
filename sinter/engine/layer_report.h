#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "sinter/engine/engine_program.h"
#include "sinter/graph/onnx_model.h"

namespace sinter::engine {

/// What the graph asks of an engine, told from its nodes.
struct GraphLayers {
  std::size_t attentions = 0;  // MatMul, Softmax, MatMul: what an engine may fuse
  std::size_t self = 0;        // of those in the UNet, by the module's name: attn1
  std::size_t cross = 0;       // attn2
  std::map<std::string, std::size_t> nodes_by_type;  // "float16" -> nodes with such a result
  /// Modules of a half-precision graph in which a node computes in float32, with how many.
  std::map<std::string, std::size_t> float32_modules;
};

GraphLayers layers_of_graph(const graph::OnnxModel& model);

/// What an engine does of it, read from its own program.
struct EngineLayers {
  bool known = false;  // false: the file holds no program that can be read
  std::size_t kernels = 0;
  std::size_t fused_attentions = 0;
  std::size_t fused_norms = 0;                         // GroupNorm in one kernel
  std::map<std::string, std::size_t> kernels_by_type;  // type of the first result
  /// Softmax kernels outside fused attention, by the first node that they compute.
  std::vector<std::string> unfused_attentions;
};

EngineLayers layers_of_engine(const EngineProgram& program);

}  // namespace sinter::engine
