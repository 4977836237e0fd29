#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sinter/arch/model.h"

namespace sinter::convert {

// The JSON files of an output folder, as text, in the keys that diffusers, transformers and optimum
// read.

/// config.json of one graph's folder. latent_factor: pixels a latent cell, for the UNet's native
/// size.
std::string component_config(const arch::Model& model, const arch::Component& component,
                             std::int64_t latent_factor);

/// The configuration files of a diffusers folder that is converted, by path; empty for a file.
using Configs = std::map<std::string, std::string>;

/// scheduler/scheduler_config.json: the folder's own, with the model's prediction in it; or the
/// noise schedule that the family was trained with.
std::string scheduler_config(const arch::Model& model, const Configs& configs);

/// model_index.json: which library class stands for which folder, and the pipeline's settings,
/// those of the folder or of the family.
std::string model_index(const arch::Model& model, const std::vector<std::string>& folders,
                        const Configs& configs);

}  // namespace sinter::convert
