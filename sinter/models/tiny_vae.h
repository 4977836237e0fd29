#pragma once

#include "sinter/arch/config.h"
#include "sinter/models/layers.h"

namespace sinter::models {

// The halves of a tiny autoencoder (TAESD): a list of 3x3 convolutions and residual blocks of three
// of them, ReLU, no norms. Its latents are those that the UNet sees, unscaled. Its authors have
// pictures in 0..1; here they are in -1..1, as everywhere. Source: diffusers' AutoencoderTiny.

/// latent [N,c,h,w] -> image [N,3,8h,8w] (8 is the config's factor), about -1..1, in the scope's
/// dtype.
Value tiny_vae_decoder(const Scope& s, const arch::VaeConfig& config, Value latent);

/// image [N,3,H,W] in -1..1 -> latent [N,c,H/8,W/8]: no distribution.
Value tiny_vae_encoder(const Scope& s, const arch::VaeConfig& config, Value image);

}  // namespace sinter::models
