#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sinter::adapters {

/// PEFT's settings of one network: what its files say in the metadata instead of in tensors. Ranks
/// stand there too, and are read from the tensors.
struct LoraSettings {
  std::string network;                                 // "unet", "text_encoder"; empty: of all
  double alpha = 8;                                    // PEFT's default
  bool rank_stabilised = false;                        // alpha / sqrt(rank): use_rslora
  std::vector<std::pair<std::string, double>> alphas;  // of modules whose names end so
};

/// Source: peft's LoraConfig, as diffusers saves it under "lora_adapter_metadata".
struct LoraConfig {
  std::vector<LoraSettings> networks;

  /// alpha of a module and whether it is divided by the root of the rank; nothing where the file
  /// says nothing.
  ///
  /// name: as the file spells it, behind a network's name and a dot or not.
  struct Alpha {
    double alpha;
    bool rank_stabilised;
  };
  std::optional<Alpha> alpha_of(std::string_view name) const;
};

/// @throws Error{kBadFile} for text that is no JSON object, or values of another type than they
/// have; Error{kUnsupported} for a pattern that is more than a name.
LoraConfig read_lora_config(const std::map<std::string, std::string>& metadata);

}  // namespace sinter::adapters
