#pragma once

#include "sinter/arch/key_map.h"

namespace sinter::arch {

/// Autoencoder tensors of the original layout under the names of diffusers' AutoencoderKL.
WeightMap map_original_vae_keys(const NameIndex& names);

/// The same from diffusers' own names, today's and those before 0.18 (query, key, value,
/// proj_attn).
WeightMap map_diffusers_vae_keys(const NameIndex& names);

}  // namespace sinter::arch
