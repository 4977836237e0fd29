#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sinter/weights/checkpoint.h"

namespace sinter::convert {

/// Files or folders whose autoencoder takes the place of a checkpoint's own.
struct ExternalVae {
  std::vector<std::filesystem::path> files;  // of a tiny one the halves may lie in two
  bool tiny = false;                         // it has to be a tiny one (TAESD)
  weights::OpenOptions open = {};
};

/// A checkpoint with the other autoencoder in it.
struct WithVae {
  weights::Checkpoint checkpoint;
  // What latents are multiplied by for the UNet, where the autoencoder's own config.json does not
  // say it: a matter of the space that the UNet was trained in.
  std::optional<double> scaling;
  std::vector<std::string> evidence;  // a sentence each
  std::vector<std::string> warnings;  // that it looks made for another family
};

/// Puts it in: original or diffusers names, with or without the prefix of a checkpoint, also that
/// of a whole checkpoint or pipeline folder.
///
/// The autoencoders of Stable Diffusion 1, 2 and XL have the same names and shapes. Which one it is
/// for is read from its config.json (scaling_factor), its metadata and what it is called; and its
/// weights are held against the checkpoint's own, because retraining leaves them alike and training
/// from scratch does not. What all of that leaves open is said to be open.
/// @throws Error{kUnsupported} for a file that holds no autoencoder (no tiny one);
///         Error{kShapeMismatch} when its latents have another number of channels than the UNet's;
///         what reading throws. All with the file.
WithVae with_vae(weights::Checkpoint base, const ExternalVae& vae);

}  // namespace sinter::convert
