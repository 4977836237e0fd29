#include "sinter/check/shape_run.h"

#include "sinter/check/shape_ops.h"

namespace sinter::check {
using graph::OutlineNode;
using graph::OutlineTensor;

std::optional<Conflict> ShapeRun::run(
    const std::map<std::string, std::vector<std::int64_t>>& sizes) {
  known_.clear();
  for (const OutlineTensor& tensor : subject_.graph().initializers) {
    if (tensor.flaw) continue;
    // Types of whole numbers in ONNX: 2 to 7, 9, 12, 13.
    const bool integer = tensor.type != 1 && tensor.type != 10 && tensor.type != 11;
    known_.emplace(tensor.name, Sketch{tensor.dims, tensor.values, integer});
  }
  for (const graph::OutlineValue* input : subject_.inputs()) {
    const auto found = sizes.find(input->name);
    if (found != sizes.end()) known_.insert_or_assign(input->name, Sketch{found->second, {}, true});
  }
  for (const OutlineNode& node : subject_.graph().nodes) {
    const ShapeRule rule = node.domain.empty() ? shape_rule(node.op) : nullptr;
    if (rule == nullptr) continue;
    Operands operands;
    for (const std::string& input : node.inputs) operands.push_back(find(input));
    try {
      std::vector<std::optional<Sketch>> results = follow(rule, node, operands, subject_.opset());
      for (std::size_t i = 0; i < results.size() && i < node.outputs.size(); ++i) {
        if (!results[i] || node.outputs[i].empty()) continue;
        known_.insert_or_assign(node.outputs[i], std::move(*results[i]));
      }
    } catch (const Misfit& misfit) {
      return Conflict{NodeAt{&node, nullptr, nullptr, false}.place(), misfit.what()};
    }
  }
  return std::nullopt;
}

const Sketch* ShapeRun::find(std::string_view value) const {
  const auto found = known_.find(value);
  return found == known_.end() || value.empty() ? nullptr : &found->second;
}

}  // namespace sinter::check
