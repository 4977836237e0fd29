#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "sinter/runtime/session.h"

namespace sinter::verify {

/// Inputs and expected outputs of one network, from a .safetensors file with tensors "in.NAME" and
/// "out.NAME" and the metadata "component".
struct ReferenceCase {
  std::filesystem::path path;
  std::string component;  // "unet", "vae", "text_encoder", "text_encoder_2"; empty: not said
  std::map<std::string, std::string> metadata;
  runtime::TensorMap inputs;   // by NAME
  runtime::TensorMap outputs;  // by NAME

  /// @throws Error{kBadFile} when the file has no inputs or no outputs; all that reading throws.
  static ReferenceCase load(const std::filesystem::path& path);
};

}  // namespace sinter::verify
