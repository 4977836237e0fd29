#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "sinter/arch/model.h"
#include "tests/arch/manifest_checkpoint.h"

namespace sinter::arch {
namespace {

using arch_test::load_manifest;
using arch_test::Manifest;
using arch_test::ManifestCheckpoint;

const UNetConfig& unet_of(const Model& model) {
  return std::get<UNetConfig>(model.find("unet")->config);
}

std::vector<std::int64_t> channels_of(const std::vector<UNetLevel>& levels) {
  std::vector<std::int64_t> result;
  for (const UNetLevel& level : levels) result.push_back(level.channels);
  return result;
}
std::vector<std::vector<int>> depths_of(const std::vector<UNetLevel>& levels) {
  std::vector<std::vector<int>> result;
  for (const UNetLevel& level : levels) result.push_back(level.depths);
  return result;
}
std::vector<std::string> names_of(const Model& model) {
  std::vector<std::string> result;
  for (const Component& component : model.components) result.push_back(component.name);
  return result;
}
/// Elements of the tensors that are in the file and in no network.
std::int64_t idle_elements(const Manifest& manifest) {
  std::int64_t count = 0;
  for (const auto& tensor : manifest.tensors)
    if (tensor.name.find("position_ids") != std::string::npos ||
        tensor.name.find("logit_scale") != std::string::npos ||
        tensor.name.find('.') == std::string::npos)
      count += element_count(tensor.shape);
  return count;
}

using Names = std::vector<std::string>;
using Levels = std::vector<std::int64_t>;
using Depths = std::vector<std::vector<int>>;

/// A published network and what its authors' configuration files say of it.
struct KnownModel {
  std::string manifest;
  std::string family;
  Names components;
  std::int64_t in_channels;
  std::int64_t context;
  std::int64_t heads;
  Levels down;
  Depths down_depths;
  Depths up_depths;
  int mid_depth;
  bool linear;
  std::int64_t vector;
  std::int64_t pooled;
  int time_ids;

  friend std::ostream& operator<<(std::ostream& out, const KnownModel& model) {
    return out << model.manifest;
  }
};

const Depths kSd1Down{{1, 1}, {1, 1}, {1, 1}, {0, 0}};
const Depths kSd1Up{{0, 0, 0}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
const Levels kSd1Levels{320, 640, 1280, 1280};

const KnownModel kKnownModels[] = {
    {"sd15",
     "sd15",
     {"text_encoder", "unet", "vae"},
     4,
     768,
     8,
     kSd1Levels,
     kSd1Down,
     kSd1Up,
     1,
     false,
     0,
     0,
     0},
    {"sd15-inpainting",
     "sd15-inpaint",
     {"text_encoder", "unet", "vae"},
     9,
     768,
     8,
     kSd1Levels,
     kSd1Down,
     kSd1Up,
     1,
     false,
     0,
     0,
     0},
    {"sd21",
     "sd21",
     {"text_encoder", "unet", "vae"},
     4,
     1024,
     0,
     kSd1Levels,
     kSd1Down,
     kSd1Up,
     1,
     true,
     0,
     0,
     0},
    {"sdxl-base",
     "sdxl-base",
     {"text_encoder", "text_encoder_2", "unet", "vae"},
     4,
     2048,
     0,
     {320, 640, 1280},
     {{0, 0}, {2, 2}, {10, 10}},
     {{10, 10, 10}, {2, 2, 2}, {0, 0, 0}},
     10,
     true,
     2816,
     1280,
     6},
    {"sdxl-refiner",
     "sdxl-refiner",
     {"text_encoder_2", "unet", "vae"},
     4,
     1280,
     0,
     {384, 768, 1536, 1536},
     {{0, 0}, {4, 4}, {4, 4}, {0, 0}},
     {{0, 0, 0}, {4, 4, 4}, {4, 4, 4}, {0, 0, 0}},
     4,
     true,
     2560,
     1280,
     5},
    {"tiny/sd1",
     "sd15",
     {"text_encoder", "unet", "vae"},
     4,
     64,
     8,
     {32, 64, 64, 64},
     kSd1Down,
     kSd1Up,
     1,
     false,
     0,
     0,
     0},
    {"tiny/sd1-inpainting",
     "sd15-inpaint",
     {"text_encoder", "unet", "vae"},
     9,
     64,
     8,
     {32, 64, 64, 64},
     kSd1Down,
     kSd1Up,
     1,
     false,
     0,
     0,
     0},
    {"tiny/sd2",
     "sd21",
     {"text_encoder", "unet", "vae"},
     4,
     64,
     0,
     {64, 128, 128, 128},
     kSd1Down,
     kSd1Up,
     1,
     true,
     0,
     0,
     0},
    {"tiny/sdxl-base",
     "sdxl-base",
     {"text_encoder", "text_encoder_2", "unet", "vae"},
     4,
     192,
     0,
     {64, 128, 128},
     {{0, 0}, {1, 1}, {2, 2}},
     {{2, 2, 2}, {1, 1, 1}, {0, 0, 0}},
     2,
     true,
     1664,
     128,
     6},
    {"tiny/sdxl-refiner",
     "sdxl-refiner",
     {"text_encoder_2", "unet", "vae"},
     4,
     128,
     0,
     {64, 128, 128, 128},
     {{0, 0}, {2, 2}, {2, 2}, {0, 0}},
     {{0, 0, 0}, {2, 2, 2}, {2, 2, 2}, {0, 0, 0}},
     2,
     true,
     1408,
     128,
     5},
    {"diffusers/sd15-unet",
     "sd15",
     {"unet"},
     4,
     768,
     8,
     kSd1Levels,
     kSd1Down,
     kSd1Up,
     1,
     false,
     0,
     0,
     0},
    {"diffusers/sdxl-unet",
     "sdxl-base",
     {"unet"},
     4,
     2048,
     0,
     {320, 640, 1280},
     {{0, 0}, {2, 2}, {10, 10}},
     {{10, 10, 10}, {2, 2, 2}, {0, 0, 0}},
     10,
     true,
     2816,
     1280,
     6},
};

class PublishedUNet : public testing::TestWithParam<KnownModel> {};

TEST_P(PublishedUNet, IsReadWhole) {
  const KnownModel& known = GetParam();
  const Manifest manifest = load_manifest(known.manifest);
  const ManifestCheckpoint checkpoint(manifest);
  const Model model = detect(*checkpoint);
  EXPECT_EQ(model.family, known.family);
  EXPECT_EQ(names_of(model), known.components);
  EXPECT_EQ(model.missing, Names{});
  EXPECT_EQ(model.unexpected, Names{});
  std::int64_t parameters = idle_elements(manifest);
  for (const Component& component : model.components) parameters += component.parameters;
  EXPECT_EQ(parameters, manifest.parameters);
}

TEST_P(PublishedUNet, HasItsAuthorsConfiguration) {
  const KnownModel& known = GetParam();
  const ManifestCheckpoint checkpoint(known.manifest);
  const UNetConfig unet = unet_of(detect(*checkpoint));
  EXPECT_EQ(unet.in_channels, known.in_channels);
  EXPECT_EQ(unet.out_channels, 4);
  EXPECT_EQ(unet.model_channels, known.down[0]);
  EXPECT_EQ(unet.time_dim, 4 * known.down[0]);
  EXPECT_EQ(unet.context_dim, known.context);
  EXPECT_EQ(channels_of(unet.down), known.down);
  EXPECT_EQ(channels_of(unet.up), Levels(known.down.rbegin(), known.down.rend()));
  EXPECT_EQ(depths_of(unet.down), known.down_depths);
  EXPECT_EQ(depths_of(unet.up), known.up_depths);
  EXPECT_EQ(unet.mid_depth, known.mid_depth);
  EXPECT_EQ(unet.mid_resnets, 2);
  EXPECT_EQ(unet.heads, known.heads);
  EXPECT_EQ(unet.head_width, known.heads == 0 ? 64 : 0);
  EXPECT_EQ(unet.linear_projection, known.linear);
  EXPECT_EQ(unet.vector_dim, known.vector);
  EXPECT_EQ(unet.pooled_dim, known.pooled);
  EXPECT_EQ(unet.time_ids, known.time_ids);
  for (std::size_t level = 0; level < unet.down.size(); ++level) {
    const bool last = level + 1 == unet.down.size();
    EXPECT_EQ(unet.down[level].resample, !last) << level;
    EXPECT_EQ(unet.up[level].resample, !last) << level;
  }
}

INSTANTIATE_TEST_SUITE_P(Manifests, PublishedUNet, testing::ValuesIn(kKnownModels),
                         [](const auto& param) {
                           std::string name = param.param.manifest;
                           std::ranges::replace_if(
                               name, [](char c) { return c == '/' || c == '-'; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace sinter::arch
