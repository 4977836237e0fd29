#pragma once

#include <vector>

#include "sinter/arch/config.h"
#include "sinter/arch/structure.h"
#include "sinter/arch/weight_map.h"

namespace sinter::arch {

/// Reads from names and shapes what they tell of a text encoder; heads, activation, state and
/// pooled_projection are left to the family. What the file lacks is 0.
TextEncoderConfig read_text_config(const WeightMap& weights);

/// Every weight of a text encoder of that configuration.
std::vector<ExpectedTensor> text_tensors(const TextEncoderConfig& config);

}  // namespace sinter::arch
