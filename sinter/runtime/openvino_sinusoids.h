#pragma once

#include <algorithm>
#include <memory>
#include <openvino/openvino.hpp>
#include <string>
#include <utility>
#include <vector>

namespace sinter::runtime {

/// Whether there is a port of that name; an input that no node reads is dropped when a graph is
/// read.
template <typename Ports>
bool has_input(const Ports& ports, const std::string& name) {
  return std::ranges::any_of(ports,
                             [&](const auto& port) { return port.get_names().contains(name); });
}

/// The sinusoids of a network, cut out and computed in float32.
///
/// Those of timesteps have arguments up to a thousand: rounded to eight bits of significand they
/// are another timestep's, whatever types the graph asks for. A network without any is left as it
/// is.
class OpenVinoSinusoids {
 public:
  /// Cuts them out of the network: inputs take their places.
  explicit OpenVinoSinusoids(ov::Model& network);

  void compile(ov::Core& core, const std::string& device, ov::AnyMap properties);

  /// Takes of the inputs those that lead to sinusoids, and hands the results to the main request.
  void run(const std::vector<std::pair<std::string, ov::Tensor>>& inputs, ov::InferRequest& main);

 private:
  std::shared_ptr<ov::Model> part_;  // null without sinusoids
  ov::InferRequest request_;
  std::vector<std::string> names_;  // of the main network's inputs
};

}  // namespace sinter::runtime
