#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sinter/arch/places.h"
#include "sinter/weights/checkpoint.h"

namespace sinter::convert {

/// What says which family an autoencoder was trained for.
struct VaeOrigin {
  double scaling;      // of that family's latents
  std::string reason;  // "its config.json has scaling_factor 0.13025"
};

/// Reads it from a file's configuration, metadata or, when those are silent, its name. Nothing
/// where none of them tells.
///
/// prefix: of its configuration in the checkpoint: "" or "vae/".
std::optional<VaeOrigin> read_vae_origin(const weights::Checkpoint& file, const std::string& prefix,
                                         const std::filesystem::path& path);

/// How alike the weights of two autoencoders are: the largest correlation of any convolution in
/// their middles, 0 to 1. Networks that were trained apart have about 0, however well each works;
/// one that was retrained from the other keeps most of it. Nothing where they have no large
/// convolution in common. Source: Neyshabur et al. 2020 (arXiv 2008.11687), section 3.
std::optional<double> weight_likeness(const weights::Checkpoint& first,
                                      const arch::FoundComponent& first_vae,
                                      const weights::Checkpoint& second,
                                      const arch::FoundComponent& second_vae);

}  // namespace sinter::convert
