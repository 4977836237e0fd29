#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sinter/arch/model.h"

namespace sinter::adapters {

/// A module of a checkpoint that an adapter can change. Refers to the model.
struct ModuleSite {
  std::string component;                       // "unet", "text_encoder", "text_encoder_2", "vae"
  std::string name;                            // canonical: "down_blocks.0.resnets.0.conv1"
  const arch::WeightSource* weight = nullptr;  // null: it has none
  const arch::WeightSource* bias = nullptr;
};

/// Every name under which adapters know the modules of a checkpoint.
///
/// The names are made from the checkpoint's own modules (canonical and original, with dots and with
/// underscores), so that finding one is a lookup: "lora_unet_down_blocks_0_attentions_0_proj_in"
/// could not be told apart by its underscores.
///
/// | layout | names |
/// |---|---|
/// | kohya (sd-scripts), LyCORIS | lora_unet_, lora_te_, lora_te1_, lora_te2_ and underscores |
/// | diffusers, PEFT | unet., text_encoder., text_encoder_2., or nothing, and dots |
/// | attention processors | ...attn1.processor.to_q, ...self_attn.to_q |
/// | ComfyUI, original | diffusion_model., text_encoders.clip_l. and dots |
class ModuleNames {
 public:
  explicit ModuleNames(const arch::Model& model);

  /// The modules that a name stands for, in the order of their rows: one, or the three parts of a
  /// fused projection; empty where the checkpoint has none.
  std::vector<const ModuleSite*> find(std::string_view name) const;

 private:
  void add_component(const arch::Component& component, bool only_text);
  void add(std::string name, std::vector<std::size_t> sites);

  std::vector<ModuleSite> sites_;
  std::unordered_map<std::string, std::vector<std::size_t>> names_;  // looked up, never walked
};

}  // namespace sinter::adapters
