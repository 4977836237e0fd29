#include "sinter/adapters/names/module_names.h"

#include <gtest/gtest.h>

#include "tests/arch/manifest_checkpoint.h"

namespace sinter::adapters {
namespace {

class ModuleNamesOf {
 public:
  explicit ModuleNamesOf(const std::string& manifest)
      : checkpoint_(manifest), model_(arch::detect(*checkpoint_)), names_(model_) {}

  /// "unet:down_blocks.0..., ..." of a name.
  std::string find(std::string_view name) const {
    std::string text;
    for (const ModuleSite* site : names_.find(name))
      text += (text.empty() ? "" : " ") + site->component + ":" + site->name;
    return text;
  }

 private:
  arch_test::ManifestCheckpoint checkpoint_;
  arch::Model model_;
  ModuleNames names_;
};

TEST(ModuleNames, KnowAUNetsModuleInEveryLayout) {
  const ModuleNamesOf names("sdxl-base");
  const std::string query = "unet:down_blocks.1.attentions.0.transformer_blocks.0.attn1.to_out.0";
  for (const std::string_view name :
       {"lora_unet_down_blocks_1_attentions_0_transformer_blocks_0_attn1_to_out_0",
        "lora_unet_input_blocks_4_1_transformer_blocks_0_attn1_to_out_0",
        "unet.down_blocks.1.attentions.0.transformer_blocks.0.attn1.to_out.0",
        "down_blocks.1.attentions.0.transformer_blocks.0.attn1.to_out.0",
        "unet.down_blocks.1.attentions.0.transformer_blocks.0.attn1.processor.to_out",
        "down_blocks.1.attentions.0.transformer_blocks.0.attn1.processor.to_out",
        "diffusion_model.input_blocks.4.1.transformer_blocks.0.attn1.to_out.0",
        "model.diffusion_model.input_blocks.4.1.transformer_blocks.0.attn1.to_out.0",
        "base_model.model.down_blocks.1.attentions.0.transformer_blocks.0.attn1.to_out.0"})
    EXPECT_EQ(names.find(name), query) << name;
}

TEST(ModuleNames, KnowBothTextEncoders) {
  const ModuleNamesOf names("sdxl-base");
  EXPECT_EQ(names.find("lora_te1_text_model_encoder_layers_3_mlp_fc1"),
            "text_encoder:text_model.encoder.layers.3.mlp.fc1");
  for (const std::string_view name :
       {"lora_te2_text_model_encoder_layers_3_mlp_fc1",
        "text_encoder_2.text_model.encoder.layers.3.mlp.fc1",
        "lora_te2_transformer_resblocks_3_mlp_c_fc", "text_encoder_2.encoder.layers.3.mlp.fc1"})
    EXPECT_EQ(names.find(name), "text_encoder_2:text_model.encoder.layers.3.mlp.fc1") << name;
  EXPECT_EQ(names.find("text_encoder_2.text_model.encoder.layers.3.self_attn.to_q"),
            "text_encoder_2:text_model.encoder.layers.3.self_attn.q_proj");
  // The name of a family with one text encoder is of another family.
  EXPECT_EQ(names.find("lora_te_text_model_encoder_layers_3_mlp_fc1"), "");
}

TEST(ModuleNames, KnowTheFusedProjectionAsThreeModulesInTheirOrder) {
  const ModuleNamesOf names("sdxl-base");
  EXPECT_EQ(names.find("lora_te2_transformer_resblocks_3_attn_in_proj"),
            "text_encoder_2:text_model.encoder.layers.3.self_attn.q_proj "
            "text_encoder_2:text_model.encoder.layers.3.self_attn.k_proj "
            "text_encoder_2:text_model.encoder.layers.3.self_attn.v_proj");
}

}  // namespace
}  // namespace sinter::adapters
