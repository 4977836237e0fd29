#include "sinter/deploy/pipeline_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

namespace sinter::deploy {
using graph::OutlineValue;
namespace {

constexpr int kInt32 = 6;
constexpr int kInt64 = 7;
constexpr std::string_view kStates = "hidden_states";

const NamedGraph* find(const std::vector<NamedGraph>& graphs, std::string_view name) {
  const auto found = std::ranges::find(graphs, name, &NamedGraph::name);
  return found == graphs.end() ? nullptr : &*found;
}

std::size_t rank(const OutlineValue& value) { return value.dims.size(); }

// The states before the last layer: hidden_states.0 to .N have them at N-1, and a graph that was
// given only the one it needs has just that.
std::string penultimate(const NamedGraph& graph) {
  std::vector<int> numbers;
  for (const OutlineValue& output : graph.file.graph.outputs) {
    if (output.name == kStates) return output.name;
    if (!output.name.starts_with("hidden_states.")) continue;
    int number = 0;
    const char* end = output.name.data() + output.name.size();
    if (std::from_chars(output.name.data() + kStates.size() + 1, end, number).ptr == end) {
      numbers.push_back(number);
    }
  }
  if (numbers.empty()) return "";
  const int last = *std::ranges::max_element(numbers);
  return fmt::format("{}.{}", kStates, numbers.size() == 1 ? last : last - 1);
}

EncoderRole encoder_role(const NamedGraph& graph, bool hidden) {
  EncoderRole role{.model = graph.name, .ids = {}, .states = {}, .pooled = {}};
  for (const OutlineValue& input : graph.file.graph.inputs) {
    if (rank(input) == 2 && (input.type == kInt64 || input.type == kInt32) && role.ids.empty()) {
      role.ids = input.name;
    }
  }
  for (const OutlineValue& output : graph.file.graph.outputs) {
    if (rank(output) == 3 && !output.name.starts_with(kStates) && role.states.empty()) {
      role.states = output.name;
    }
    const bool embeds = output.name == "text_embeds" || output.name == "text_embeddings";
    if (rank(output) == 2 && embeds) role.pooled = output.name;
  }
  if (hidden) role.states = penultimate(graph);
  return role;
}

std::string read_unet(const NamedGraph& unet, PipelineRoles& roles) {
  for (const OutlineValue& input : unet.file.graph.inputs) {
    if (rank(input) == 4) {
      if (!roles.sample.empty()) return "its UNet takes more pictures than the latent";
      if (input.dims[1] != 4) return "its UNet is not one for drawing from text alone";
      roles.sample = input.name;
    } else if (rank(input) <= 1) {
      roles.timestep = input.name;
    } else if (rank(input) == 3) {
      roles.context = input.name;
    } else if (input.dims[1] == 5 || input.dims[1] == 6) {
      roles.time_ids = input.name;
      roles.time_id_count = input.dims[1];
    } else {
      roles.pooled = input.name;
    }
  }
  if (!roles.pooled.empty() && roles.time_ids.empty()) {
    return "its UNet takes one vector of conditions; convert with --io optimum";
  }
  const bool whole = !roles.sample.empty() && !roles.timestep.empty() && !roles.context.empty() &&
                     unet.file.graph.outputs.size() == 1;
  if (!whole) return "its UNet does not have the inputs and the output of a denoiser";
  roles.noise = unet.file.graph.outputs.front().name;
  return "";
}

std::string read_roles(const std::vector<NamedGraph>& graphs, PipelineRoles& roles) {
  const NamedGraph* unet = find(graphs, "unet");
  const NamedGraph* decoder = find(graphs, "vae_decoder");
  if (unet == nullptr || decoder == nullptr) return "the folder has no unet or no vae_decoder";
  std::string why = read_unet(*unet, roles);
  if (!why.empty()) return why;
  for (const char* name : {"text_encoder", "text_encoder_2"}) {
    const NamedGraph* encoder = find(graphs, name);
    if (encoder == nullptr) continue;
    roles.encoders.push_back(encoder_role(*encoder, !roles.pooled.empty()));
    if (roles.encoders.back().ids.empty() || roles.encoders.back().states.empty()) {
      return fmt::format("{} lacks the input or the output that the UNet's context is made of",
                         name);
    }
  }
  if (roles.encoders.empty()) return "the folder has no text encoder";
  if (!roles.pooled.empty() && roles.encoders.back().pooled.empty()) {
    return "no text encoder gives the pooled embedding that the UNet takes";
  }
  roles.latent = decoder->file.graph.inputs.front().name;
  roles.image = decoder->file.graph.outputs.front().name;
  return "";
}

}  // namespace

std::optional<PipelineRoles> pipeline_roles(const std::vector<NamedGraph>& graphs,
                                            std::string& why) {
  PipelineRoles roles;
  why = read_roles(graphs, roles);
  if (!why.empty()) return std::nullopt;
  return roles;
}

std::string to_json(const PipelineRoles& roles, double scaling) {
  nlohmann::ordered_json json{{"scaling_factor", scaling},
                              {"text_encoders", nlohmann::json::array()}};
  for (const EncoderRole& role : roles.encoders) {
    json["text_encoders"].push_back({{"model", role.model},
                                     {"ids", role.ids},
                                     {"states", role.states},
                                     {"pooled", role.pooled}});
  }
  json["unet"] = {{"sample", roles.sample},     {"timestep", roles.timestep},
                  {"context", roles.context},   {"pooled", roles.pooled},
                  {"time_ids", roles.time_ids}, {"time_id_count", roles.time_id_count},
                  {"noise", roles.noise}};
  json["vae_decoder"] = {{"latent", roles.latent}, {"image", roles.image}};
  return json.dump(2) + "\n";
}

}  // namespace sinter::deploy
