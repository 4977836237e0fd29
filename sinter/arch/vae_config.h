#pragma once

#include <vector>

#include "sinter/arch/config.h"
#include "sinter/arch/structure.h"
#include "sinter/arch/weight_map.h"

namespace sinter::arch {

/// Reads from names and shapes what they tell of an autoencoder; scaling_factor stays 0. What the
/// file lacks is 0.
VaeConfig read_vae_config(const WeightMap& weights);

/// Every weight of an autoencoder of that configuration.
std::vector<ExpectedTensor> vae_tensors(const VaeConfig& config);

}  // namespace sinter::arch
