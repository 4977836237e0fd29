#pragma once

#include "sinter/arch/config.h"
#include "sinter/models/layers.h"

namespace sinter::models {

// The autoencoder's halves (Rombach et al. 2022, arXiv 2112.10752, section 3.1). The latent scaling
// factor stays outside.

/// latent [N,c,h,w] -> image [N,3,8h,8w] (8 is the config's factor), in the scope's dtype.
Value vae_decoder(const Scope& s, const arch::VaeConfig& config, Value latent);

/// image [N,3,H,W] in -1..1 -> mean and log variance [N,2c,H/8,W/8] along the channels.
Value vae_encoder(const Scope& s, const arch::VaeConfig& config, Value image);

}  // namespace sinter::models
