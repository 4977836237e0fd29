#pragma once

#include "sinter/arch/key_map.h"

namespace sinter::arch {

/// Autoencoder tensors of the original layout under the names of diffusers' AutoencoderKL.
WeightMap map_original_vae_keys(const NameIndex& names);

/// The same from diffusers' own names. The attention of the middle is read in either layout under
/// all of its names: to_q, q, query; to_out.0, proj_out, proj_attn.
WeightMap map_diffusers_vae_keys(const NameIndex& names);

/// What a file of the original layout, or of diffusers', calls a canonical name.
///
/// levels: of the autoencoder. names: of the file's tensors.
std::string original_vae_key(std::string_view canonical, std::int64_t levels,
                             std::span<const std::string_view> names);
std::string diffusers_vae_key(std::string_view canonical, std::span<const std::string_view> names);

}  // namespace sinter::arch
