#pragma once

#include <cstdint>
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

/// scheduler/scheduler_config.json: the noise schedule that the family was trained with.
std::string scheduler_config(const arch::Model& model);

/// model_index.json: which library class stands for which folder.
std::string model_index(const arch::Model& model, const std::vector<std::string>& folders);

}  // namespace sinter::convert
