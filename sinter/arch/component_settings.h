#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/arch/config.h"

namespace sinter::arch {

/// What a folder's config.json says and the shapes do not.
struct TextSettings {
  std::optional<Activation> activation;
  std::optional<std::int64_t> heads;
};

/// configs: of the checkpoint. prefix: of the component's tensors ("text_encoder/", or empty).
/// @throws Error{kUnsupported} for an activation that sinter does not have; Error{kBadFile} for a
/// file that is no JSON object.
TextSettings read_text_settings(const std::map<std::string, std::string>& configs,
                                std::string_view prefix);

/// Heads of each level of a UNet: one number for all, or one a level; empty where the file does not
/// say. diffusers stores them under "num_attention_heads", or, by an old mistake of naming, under
/// "attention_head_dim".
std::vector<std::int64_t> read_unet_heads(const std::map<std::string, std::string>& configs,
                                          std::string_view prefix);

std::optional<double> read_vae_scaling(const std::map<std::string, std::string>& configs,
                                       std::string_view prefix);

/// "epsilon", "v_prediction", ... of scheduler/scheduler_config.json.
std::optional<std::string> read_scheduler_prediction(
    const std::map<std::string, std::string>& configs);

}  // namespace sinter::arch
