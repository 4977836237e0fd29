#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/arch/config.h"
#include "sinter/arch/key_map.h"
#include "sinter/arch/structure.h"
#include "sinter/arch/weight_map.h"

namespace sinter::arch {

// The tiny autoencoder (TAESD): each half is one list of layers. Canonical names are those of
// diffusers' AutoencoderTiny ("decoder.layers.2.conv.0.weight"), whose decoder does not count the
// clamp that the original's list begins with.

/// The original names: of a half alone ("0.weight" begins an encoder, "1.weight" a decoder), or
/// behind "encoder." and "decoder." ("taesd_encoder.", "taesd_decoder.").
WeightMap map_original_tiny_vae_keys(const NameIndex& names);

/// diffusers' names as they are.
WeightMap map_diffusers_tiny_vae_keys(const NameIndex& names);

/// What a file of the original layout calls a canonical name. names: of the file's tensors.
std::string original_tiny_vae_key(std::string_view canonical,
                                  std::span<const std::string_view> names);

/// Whether these are the weights of a tiny autoencoder.
bool is_tiny_vae(const WeightMap& weights);

/// What names and shapes tell of one; scaling_factor stays 0. What the file lacks is 0.
VaeConfig read_tiny_vae_config(const WeightMap& weights);

/// Every weight of one of that configuration.
std::vector<ExpectedTensor> tiny_vae_tensors(const VaeConfig& config);

}  // namespace sinter::arch
