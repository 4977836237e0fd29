#include "sinter/runtime/openvino_sinusoids.h"

#include <openvino/op/parameter.hpp>
#include <set>
#include <string_view>

namespace sinter::runtime {
namespace {

bool is_sinusoid(const ov::Node& node) {
  const std::string_view type = node.get_type_info().name;
  return type == "Sin" || type == "Cos";
}

// The network's parameters that lead to the outputs.
ov::ParameterVector parameters_of(const ov::Model& network, const ov::OutputVector& outputs) {
  std::set<const ov::Node*> leading;
  std::vector<ov::Output<ov::Node>> open = outputs;
  while (!open.empty()) {
    const std::shared_ptr<ov::Node> node = open.back().get_node_shared_ptr();
    open.pop_back();
    if (!leading.insert(node.get()).second) continue;
    for (const ov::Output<ov::Node>& input : node->input_values()) open.push_back(input);
  }
  ov::ParameterVector result;
  for (const auto& parameter : network.get_parameters()) {
    if (leading.contains(parameter.get())) result.push_back(parameter);
  }
  return result;
}

}  // namespace

OpenVinoSinusoids::OpenVinoSinusoids(ov::Model& network) {
  ov::OutputVector cut;
  for (const auto& node : network.get_ordered_ops()) {
    if (is_sinusoid(*node)) cut.push_back(node->output(0));
  }
  if (cut.empty()) return;
  // A copy, because the cut changes the nodes of the network.
  part_ = std::make_shared<ov::Model>(cut, parameters_of(network, cut))->clone();
  for (ov::Output<ov::Node>& output : cut) {
    const auto input = std::make_shared<ov::op::v0::Parameter>(output.get_element_type(),
                                                               output.get_partial_shape());
    const std::string name = "sinter.sinusoids." + std::to_string(names_.size());
    output.replace(input->output(0));
    input->output(0).add_names({name});
    network.add_parameters({input});
    names_.push_back(name);
  }
  for (const auto& parameter : ov::ParameterVector(network.get_parameters())) {
    if (parameter->output(0).get_target_inputs().empty()) network.remove_parameter(parameter);
  }
}

void OpenVinoSinusoids::compile(ov::Core& core, const std::string& device, ov::AnyMap properties) {
  if (!part_) return;
  properties[ov::hint::inference_precision.name()] = ov::element::f32;
  request_ = core.compile_model(part_, device, properties).create_infer_request();
}

void OpenVinoSinusoids::run(const std::vector<std::pair<std::string, ov::Tensor>>& inputs,
                            ov::InferRequest& main) {
  if (!part_) return;
  for (const auto& [name, tensor] : inputs) {
    if (has_input(part_->inputs(), name)) request_.set_tensor(name, tensor);
  }
  request_.infer();
  for (std::size_t i = 0; i < names_.size(); ++i) {
    main.set_tensor(names_[i], request_.get_output_tensor(i));
  }
}

}  // namespace sinter::runtime
