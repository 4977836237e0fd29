#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sinter/arch/controlnet_config.h"
#include "sinter/arch/identity.h"
#include "sinter/arch/model.h"
#include "sinter/base/error.h"
#include "tests/arch/manifest_checkpoint.h"

namespace sinter::arch {
namespace {

using arch_test::load_manifest;
using arch_test::Manifest;
using arch_test::ManifestCheckpoint;

std::vector<int> depths(const ControlNetConfig& config) {
  std::vector<int> result;
  for (const UNetLevel& level : config.unet.down)
    result.insert(result.end(), level.depths.begin(), level.depths.end());
  return result;
}

struct Published {
  const char* manifest;
  const char* family;
  const char* layout;
  std::int64_t context;
  std::int64_t heads;
  std::vector<int> depths;
  int middle;
};

TEST(ControlNet, IsReadInBothLayouts) {
  const std::vector<int> sd1{1, 1, 1, 1, 1, 1, 0, 0};
  const std::vector<int> sdxl{0, 0, 2, 2, 10, 10};
  for (const Published& known :
       {Published{"controlnet-sd15", "sd15", "original", 768, 8, sd1, 1},
        {"diffusers/controlnet-sd15", "sd15", "diffusers", 768, 8, sd1, 1},
        {"diffusers/controlnet-sdxl", "sdxl-base", "diffusers", 2048, 0, sdxl, 10},
        {"tiny/controlnet-sd1", "sd15", "original", 64, 8, sd1, 1}}) {
    const Manifest manifest = load_manifest(known.manifest);
    const ManifestCheckpoint checkpoint(manifest);
    const Model model = detect(*checkpoint);
    EXPECT_EQ(model.family, known.family) << known.manifest;
    ASSERT_EQ(model.components.size(), 1u) << known.manifest;
    const Component& component = model.components.front();
    EXPECT_EQ(component.name, "controlnet");
    EXPECT_EQ(component.layout, known.layout);
    EXPECT_EQ(component.parameters, manifest.parameters) << known.manifest;
    EXPECT_EQ(model.missing, std::vector<std::string>{});
    EXPECT_EQ(model.unexpected, std::vector<std::string>{});
    const auto& config = std::get<ControlNetConfig>(component.config);
    EXPECT_EQ(config.unet.context_dim, known.context);
    EXPECT_EQ(config.unet.heads, known.heads);
    EXPECT_EQ(depths(config), known.depths) << known.manifest;
    EXPECT_EQ(config.unet.mid_depth, known.middle);
    EXPECT_EQ(config.hint_channels, (std::vector<std::int64_t>{16, 32, 96, 256}));
    EXPECT_EQ(config.image_channels, 3);
    EXPECT_EQ(config.factor(), 8);
    EXPECT_TRUE(config.unet.up.empty());
  }
}

TEST(ControlNet, IsTakenWithoutTheOriginalsPrefix) {
  Manifest manifest = load_manifest("controlnet-sd15");
  manifest.rename("control_model.", "");
  const ManifestCheckpoint checkpoint(manifest);
  EXPECT_EQ(identify(*checkpoint).sentence,
            "a ControlNet in the original layout for Stable Diffusion 1.x");
  EXPECT_EQ(detect(*checkpoint).components.front().parameters, manifest.parameters);
}

TEST(ControlNet, OfStableDiffusion2HasMatricesAndHeadsOf64) {
  Manifest manifest = load_manifest("controlnet-sd15");
  for (arch_test::ManifestTensor& tensor : manifest.tensors) {
    const bool projection = tensor.name.find(".proj_in.weight") != std::string::npos ||
                            tensor.name.find(".proj_out.weight") != std::string::npos;
    if (projection) tensor.shape.resize(2);
    const bool context = tensor.name.find(".attn2.to_k.weight") != std::string::npos ||
                         tensor.name.find(".attn2.to_v.weight") != std::string::npos;
    if (context) tensor.shape[1] = 1024;
  }
  const ManifestCheckpoint checkpoint(manifest);
  const Model model = detect(*checkpoint);
  EXPECT_EQ(model.family, "sd21");
  const auto& unet = std::get<ControlNetConfig>(model.components.front().config).unet;
  EXPECT_TRUE(unet.linear_projection);
  EXPECT_EQ(unet.heads, 0);
  EXPECT_EQ(unet.head_width, 64);
}

/// The small variants for XL attend nowhere and have one resnet in the middle.
TEST(ControlNet, OfXlMayHaveNoAttention) {
  Manifest manifest = load_manifest("diffusers/controlnet-sdxl");
  std::erase_if(manifest.tensors, [](const arch_test::ManifestTensor& tensor) {
    return tensor.name.find(".attentions.") != std::string::npos ||
           tensor.name.starts_with("mid_block.resnets.1.");
  });
  const ManifestCheckpoint checkpoint(manifest);
  const Model model = detect(*checkpoint);
  EXPECT_EQ(model.family, "sdxl-base");
  EXPECT_EQ(model.missing, std::vector<std::string>{});
  EXPECT_EQ(model.unexpected, std::vector<std::string>{});
  const auto& config = std::get<ControlNetConfig>(model.components.front().config);
  EXPECT_EQ(depths(config), std::vector<int>(6, 0));
  EXPECT_EQ(config.unet.mid_depth, 0);
  EXPECT_EQ(config.unet.mid_resnets, 1);
  EXPECT_EQ(config.unet.context_dim, 0);
  EXPECT_EQ(config.unet.pooled_dim, 1280);
}

TEST(ControlNet, OfXlMayHaveFewerTransformerBlocks) {
  Manifest manifest = load_manifest("diffusers/controlnet-sdxl");
  std::erase_if(manifest.tensors, [](const arch_test::ManifestTensor& tensor) {
    const std::size_t at = tensor.name.find("transformer_blocks.");
    return at != std::string::npos && tensor.name.substr(at + 19, 2) != "0.";
  });
  const ManifestCheckpoint checkpoint(manifest);
  const Model model = detect(*checkpoint);
  EXPECT_EQ(model.missing, std::vector<std::string>{});
  const auto& config = std::get<ControlNetConfig>(model.components.front().config);
  EXPECT_EQ(depths(config), (std::vector<int>{0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(config.unet.mid_depth, 1);
}

TEST(ControlNet, SaysWhatItsFileLacksAndHasTooMuch) {
  Manifest manifest = load_manifest("controlnet-sd15");
  manifest.erase("control_model.zero_convs.3.0.weight");
  manifest.erase("control_model.input_hint_block.14.bias");
  manifest.erase("control_model.input_blocks.4.0.in_layers.2.weight");
  manifest.add("control_model.other.weight", {2});
  const ManifestCheckpoint checkpoint(manifest);
  const Model model = detect(*checkpoint);
  EXPECT_EQ(model.missing,
            (std::vector<std::string>{"control_model.input_blocks.4.0.in_layers.2.weight",
                                      "control_model.input_hint_block.14.bias",
                                      "control_model.zero_convs.3.0.weight"}));
  EXPECT_EQ(model.components.front().missing.front().shape, (Shape{640, 320, 3, 3}));
  EXPECT_EQ(model.unexpected, std::vector<std::string>{"control_model.other.weight"});
}

/// The residuals' convolutions tell how many blocks there were.
TEST(ControlNet, MissesALevelThatItHasLost) {
  Manifest manifest = load_manifest("controlnet-sd15");
  for (const char* block : {"10.", "11."})
    manifest.erase(std::string("control_model.input_blocks.") + block);
  const ManifestCheckpoint checkpoint(manifest);
  EXPECT_FALSE(detect(*checkpoint).missing.empty());
}

/// A ControlNet's folder beside the UNet's, as its diffusers pipeline is saved.
Manifest beside(const std::string& checkpoint, const std::string& control) {
  Manifest manifest = load_manifest(checkpoint);
  Manifest other = load_manifest(control);
  other.rename("", "controlnet/");
  for (const auto& tensor : other.tensors) manifest.tensors.push_back(tensor);
  return manifest;
}

TEST(ControlNet, StandsBesideTheNetworksOfItsPipeline) {
  const ManifestCheckpoint checkpoint(beside("tiny/sd1", "tiny/controlnet-sd1"));
  const Model model = detect(*checkpoint);
  ASSERT_NE(model.find("controlnet"), nullptr);
  EXPECT_EQ(model.find("controlnet")->prefix, "controlnet/control_model.");
  EXPECT_EQ(model.components.back().name, "controlnet");
  EXPECT_EQ(model.missing, std::vector<std::string>{});
  EXPECT_EQ(model.unexpected, std::vector<std::string>{});
  EXPECT_EQ(identify(*checkpoint).sentence, "a Stable Diffusion 1.x checkpoint");
}

TEST(ControlNet, OfAnotherFamilyIsRefusedWithBothWidths) {
  const ManifestCheckpoint checkpoint(beside("sd15", "diffusers/controlnet-sdxl"));
  try {
    detect(*checkpoint);
    FAIL() << "took it";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kShapeMismatch);
    EXPECT_EQ(error.message(), "the ControlNet reads a context 2048 wide, the UNet one of 768");
    EXPECT_EQ(error.hint(),
              "a ControlNet works with models of the family that it was made for; sinter inspect "
              "says which that is");
  }
}

TEST(ControlNet, ThatFitsInTextAloneIsRefusedByItsLevels) {
  const ManifestCheckpoint checkpoint(beside("sd15", "controlnet-sd15"));
  const Model model = detect(*checkpoint);
  UNetConfig unet = std::get<UNetConfig>(model.find("unet")->config);
  const UNetConfig control = std::get<ControlNetConfig>(model.find("controlnet")->config).unet;
  require_fitting(control, unet);
  unet.down.back().channels = 640;
  try {
    require_fitting(control, unet);
    FAIL() << "took it";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(),
              "the levels of the ControlNet are 320, 640, 1280, 1280 wide, those of the UNet 320, "
              "640, 1280, 640");
  }
}

}  // namespace
}  // namespace sinter::arch
