#include "sinter/arch/unet_config.h"

#include <gtest/gtest.h>

#include "sinter/arch/model.h"
#include "sinter/base/error.h"
#include "tests/arch/relatives.h"

namespace sinter::arch {
namespace {

using arch_test::in_diffusers_layout;
using arch_test::load_relative;
using arch_test::ManifestCheckpoint;
using arch_test::RelativeTensor;

struct Read {
  std::string family;
  UNetConfig unet;
};

Read read(const std::vector<RelativeTensor>& tensors) {
  const ManifestCheckpoint checkpoint(in_diffusers_layout(tensors));
  const Model model = detect(*checkpoint);
  return {model.family, std::get<UNetConfig>(model.find("unet")->config)};
}

using Depths = std::vector<int>;

TEST(UNetConfig, OfFewResnetsAndAttentionOnTheLowerLevels) {
  const auto [family, unet] = read(load_relative("shallow"));
  EXPECT_EQ(family, "sd15");
  EXPECT_EQ(unet.heads, 8);
  EXPECT_EQ(unet.context_dim, 128);
  ASSERT_EQ(unet.down.size(), 3U);
  EXPECT_EQ(unet.down[0].depths, Depths{0});
  EXPECT_EQ(unet.down[1].depths, Depths{1});
  EXPECT_EQ(unet.down[2].depths, Depths{1});
  EXPECT_EQ(unet.down[2].channels, 128);
  EXPECT_EQ(unet.up[0].channels, 128);
  EXPECT_EQ(unet.up[0].depths, (Depths{1, 1}));
  EXPECT_EQ(unet.up[2].depths, (Depths{0, 0}));
}

TEST(UNetConfig, OfDeeperTransformersOnEveryLevel) {
  const auto [family, unet] = read(load_relative("deep"));
  EXPECT_EQ(family, "sd21");
  EXPECT_EQ(unet.heads, 0);
  EXPECT_EQ(unet.head_width, 64);
  EXPECT_TRUE(unet.linear_projection);
  for (const UNetLevel& level : unet.down) EXPECT_EQ(level.depths, (Depths{2, 2}));
  for (const UNetLevel& level : unet.up) EXPECT_EQ(level.depths, (Depths{2, 2, 2}));
  EXPECT_EQ(unet.mid_depth, 2);
}

TEST(UNetConfig, OfAVectorConditionedNetworkOfOddWidths) {
  const auto [family, unet] = read(load_relative("odd"));
  EXPECT_EQ(family, "sdxl-base");
  EXPECT_EQ(unet.context_dim, 320);
  EXPECT_EQ(unet.vector_dim, 1728);
  EXPECT_EQ(unet.pooled_dim, 192);
  EXPECT_EQ(unet.time_ids, 6);
  EXPECT_EQ(unet.down[0].depths, (Depths{0, 0}));
  EXPECT_EQ(unet.down[1].depths, (Depths{0, 0}));
  EXPECT_EQ(unet.down[2].depths, (Depths{3, 3}));
  EXPECT_EQ(unet.mid_depth, 3);
}

TEST(UNetConfig, OfDistilledNetworksWithoutAMiddle) {
  std::vector<RelativeTensor> tensors = load_relative("shallow");
  std::erase_if(tensors, [](const RelativeTensor& tensor) {
    return tensor.canonical.starts_with("mid_block.");
  });
  EXPECT_EQ(read(tensors).unet.mid_resnets, 0);
}

TEST(UNetConfig, ReadsTheDepthOfEachAttentionByItself) {
  std::vector<RelativeTensor> tensors = load_relative("deep");
  std::erase_if(tensors, [](const RelativeTensor& tensor) {
    return tensor.canonical.starts_with("down_blocks.1.attentions.1.transformer_blocks.1.");
  });
  EXPECT_EQ(read(tensors).unet.down[1].depths, (Depths{2, 1}));
}

TEST(UNetConfig, IsNotMadeToCountByForgedNumbers) {
  std::vector<RelativeTensor> tensors = load_relative("shallow");
  tensors.push_back({"down_blocks.999999999.resnets.0.conv1.weight", "", {1}});
  tensors.push_back({"down_blocks.0.resnets.99999999999999999999.conv1.weight", "", {1}});
  const ManifestCheckpoint checkpoint(in_diffusers_layout(tensors));
  const Model model = detect(*checkpoint);
  EXPECT_EQ(model.missing, std::vector<std::string>{});
  EXPECT_EQ(model.unexpected.size(), 2U);
}

}  // namespace
}  // namespace sinter::arch
