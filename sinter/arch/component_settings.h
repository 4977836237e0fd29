#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/arch/config.h"

namespace sinter::arch {

/// The JSON files of a folder, as Checkpoint::configs() has them, and where they lie.
struct FolderConfigs {
  const std::map<std::string, std::string>& texts;
  std::filesystem::path folder;  // for messages
};

/// What a folder's config.json says and the shapes do not. Empty: the file does not say it, or
/// there is none. Heads, activation and scaling that a file of diffusers or transformers leaves out
/// are those of their classes. Each reader also refuses what fixed_settings.h lists.
///
/// prefix: of the component's tensors ("text_encoder/", or empty).
/// All throw Error{kUnsupported} for a variant that is not built here and Error{kBadFile} for a
/// file that is no JSON object, or a value of another type than its key has; both name the file.
struct TextSettings {
  std::optional<Activation> activation;
  std::optional<std::int64_t> heads;
  std::optional<std::int64_t> vocabulary;
  std::optional<std::int64_t> layers;
  std::optional<std::int64_t> end_token;
};
TextSettings read_text_settings(const FolderConfigs& configs, std::string_view prefix);

struct UNetSettings {
  std::vector<std::int64_t> heads;   // one for all levels, or one a level
  bool heads_per_level = false;      // they were a list
  std::string heads_found;           // "DIR/config.json has attention_head_dim 8", for messages
  bool vector = false;               // the UNet takes a vector beside the text
  std::optional<bool> middle;        // it has a middle with attention
  std::optional<std::int64_t> size;  // latent cells along the longer side that it was trained on
};
/// diffusers stores heads under "num_attention_heads", or, by an old mistake of naming, under
/// "attention_head_dim".
UNetSettings read_unet_settings(const FolderConfigs& configs, std::string_view prefix);
/// Those of a ControlNet's UNet.
UNetSettings read_controlnet_settings(const FolderConfigs& configs, std::string_view prefix);

struct VaeSettings {
  std::optional<double> scaling;
  std::optional<bool> quant_conv;
  std::optional<bool> post_quant_conv;
  std::optional<bool> attention;  // in the middle of both halves
};
VaeSettings read_vae_settings(const FolderConfigs& configs, std::string_view prefix);

/// "epsilon", "v_prediction", ... of scheduler/scheduler_config.json.
std::optional<std::string> read_scheduler_prediction(
    const std::map<std::string, std::string>& configs);

}  // namespace sinter::arch
