#include "sinter/cli/io_contract.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sinter/base/dtype.h"
#include "sinter/base/error.h"
#include "sinter/convert/io_profile.h"

namespace sinter::cli {
using check::Contract;
using check::ContractValue;
using convert::IoProfile;
using convert::TimestepShape;
namespace {

const std::vector<int> kFloats{dtype_info(DType::kF32).onnx, dtype_info(DType::kF16).onnx,
                               dtype_info(DType::kBF16).onnx};

ContractValue floats(std::string_view name, std::vector<int> ranks, bool required = true) {
  return {
      .name = std::string(name), .required = required, .types = kFloats, .ranks = std::move(ranks)};
}

void add(std::vector<ContractValue>& values, ContractValue value) {
  if (!value.name.empty()) values.push_back(std::move(value));
}

void add_unet(const IoProfile& io, Contract& contract) {
  add(contract.inputs, floats(io.sample, {4}));
  // optimum's own exports have a scalar; its runtime gives what the graph declares.
  std::vector<int> ranks{1};
  if (io.timestep_shape == TimestepShape::kOneOrBatch) ranks.push_back(0);
  ContractValue timestep = floats(io.timestep, ranks);
  if (io.timestep_shape == TimestepShape::kOneOrBatch) timestep.types = {};
  add(contract.inputs, timestep);
  add(contract.inputs, floats(io.context, {3}));
  for (const std::string_view name : {io.pooled, io.time_ids, io.vector}) {
    add(contract.inputs, floats(name, {2}, false));
  }
  ContractValue residual = floats("down_block_additional_residual", {4}, false);
  residual.numbered = true;
  add(contract.inputs, residual);
  add(contract.inputs, floats("mid_block_additional_residual", {4}, false));
  add(contract.outputs, floats(io.noise, {4}));
}

void add_text_encoder(const IoProfile& io, bool projected, Contract& contract) {
  add(contract.inputs,
      {.name = std::string(io.ids), .types = {dtype_info(io.ids_dtype).onnx}, .ranks = {2}});
  if (projected) {
    add(contract.outputs, floats(io.text_embeds, {2}));
    if (io.text_embeds != io.last_hidden_state) {
      add(contract.outputs, floats(io.last_hidden_state, {3}, false));
    }
  } else {
    add(contract.outputs, floats(io.last_hidden_state, {3}));
    add(contract.outputs, floats(io.pooler_output, {2}, false));
  }
  ContractValue states = floats(io.hidden_states, {3}, false);
  states.numbered = true;
  add(contract.outputs, states);
  add(contract.outputs, floats(io.penultimate_state, {3}, projected));
}

void add_decoder(const IoProfile& io, Contract& contract) {
  add(contract.inputs, floats(io.latent_in, {4}));
  add(contract.outputs, floats(io.image_out, {4}));
}

void add_encoder(const IoProfile& io, Contract& contract) {
  add(contract.inputs, floats(io.image_in, {4}));
  ContractValue latent = floats(io.latent_out, {4});
  if (io.latent_alone != io.latent_out) latent.also = io.latent_alone;
  add(contract.outputs, latent);
}

// The same names as those of the UNet that it serves, with the picture that steers it; what it
// gives is called as diffusers calls it, whatever the profile.
void add_controlnet(const IoProfile& io, Contract& contract) {
  add_unet(io, contract);
  std::erase_if(contract.inputs, [](const ContractValue& value) {
    return value.name.find("additional_residual") != std::string::npos;
  });
  contract.inputs[2].required = false;  // small ones have no attention to the prompt
  contract.outputs.clear();
  add(contract.inputs, floats("controlnet_cond", {4}));
  add(contract.inputs,
      {.name = "conditioning_scale", .required = false, .types = kFloats, .ranks = {0, 1}});
  ContractValue residual = floats("down_block_res_sample", {4}, false);
  residual.numbered = true;
  add(contract.outputs, residual);
  add(contract.outputs, floats("mid_block_res_sample", {4}));
}

std::size_t fitting(const Contract& contract, const graph::Outline& file) {
  std::size_t count = 0;
  const auto in = [](const std::vector<ContractValue>& values, const std::string& name) {
    return std::ranges::any_of(values, [&](const ContractValue& value) {
      return name == value.name || (!value.also.empty() && name == value.also) ||
             (value.numbered && name.starts_with(value.name));
    });
  };
  for (const auto& input : file.graph.inputs) count += in(contract.inputs, input.name) ? 1U : 0U;
  for (const auto& output : file.graph.outputs)
    count += in(contract.outputs, output.name) ? 1U : 0U;
  return count;
}

}  // namespace

const std::vector<std::string_view>& contract_components() {
  static const std::vector<std::string_view> names{"text_encoder", "text_encoder_2", "unet",
                                                   "vae_decoder",  "vae_encoder",    "controlnet"};
  return names;
}

Contract io_contract(std::string_view profile, std::string_view component) {
  const IoProfile& io = convert::io_profile(profile);
  Contract contract{.name = std::string(profile), .component = std::string(component)};
  if (component == "unet") {
    add_unet(io, contract);
  } else if (component == "text_encoder" || component == "text_encoder_2") {
    add_text_encoder(io, component == "text_encoder_2", contract);
  } else if (component == "vae_decoder") {
    add_decoder(io, contract);
  } else if (component == "vae_encoder") {
    add_encoder(io, contract);
  } else if (component == "controlnet") {
    add_controlnet(io, contract);
  } else {
    throw Error(ErrorCode::kUsage, fmt::format("there is no component '{}'; there are {}",
                                               component, fmt::join(contract_components(), ", ")));
  }
  return contract;
}

std::string component_of(const graph::Outline& file, std::string_view profile) {
  std::string folder =
      std::filesystem::absolute(file.path).lexically_normal().parent_path().filename().string();
  if (folder.starts_with("controlnet")) folder = "controlnet";  // controlnet_2, ...
  if (std::ranges::find(contract_components(), folder) != contract_components().end()) {
    return folder;
  }
  std::string_view best;
  std::size_t best_count = 0;
  for (const std::string_view component : contract_components()) {
    const std::size_t count = fitting(io_contract(profile, component), file);
    if (best.empty() || count > best_count) {
      best = component;
      best_count = count;
    }
  }
  return std::string(best);
}

}  // namespace sinter::cli
