#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinter/arch/model.h"

namespace sinter::adapters {

/// What adapters call a module of a UNet. canonical: "down_blocks.0.resnets.0.conv1".
std::vector<std::string> unet_spellings(const arch::UNetConfig& config, std::string_view canonical);

/// Where a text encoder stands in its family.
struct TextPlace {
  std::string_view component;  // "text_encoder", "text_encoder_2"
  bool only = true;            // of a family with one text encoder
};

/// The same of a text encoder.
std::vector<std::string> text_spellings(const TextPlace& place, std::string_view canonical);

/// Names of the fused projection whose rows are those of to_q, to_k and to_v of a layer.
/// layer: "text_model.encoder.layers.0".
std::vector<std::string> fused_spellings(const TextPlace& place, std::string_view layer);

}  // namespace sinter::adapters
