#include "sinter/arch/vae_config.h"

#include <gtest/gtest.h>

#include "sinter/arch/model.h"
#include "sinter/base/error.h"
#include "tests/arch/relatives.h"

namespace sinter::arch {
namespace {

using namespace arch_test;  // NOLINT(google-build-using-namespace): the test's own support

struct Known {
  const char* name;
  std::vector<std::int64_t> channels;
  int resnets;
  int factor;
};

const Known kKnown[] = {{"vae3", {32, 64, 96}, 2, 4}, {"vae5", {32, 32, 64, 64, 96}, 1, 16}};

class VaeConfigOfAnyDepth : public testing::TestWithParam<Known> {};

void expect_config(const Manifest& manifest, const Known& known) {
  const ManifestCheckpoint checkpoint(manifest);
  const Model model = detect(*checkpoint);
  EXPECT_EQ(model.missing, std::vector<std::string>{});
  EXPECT_EQ(model.unexpected, std::vector<std::string>{});
  const auto& vae = std::get<VaeConfig>(model.find("vae")->config);
  const std::size_t levels = known.channels.size();
  ASSERT_EQ(vae.encoder.size(), levels);
  ASSERT_EQ(vae.decoder.size(), levels);
  for (std::size_t level = 0; level < levels; ++level) {
    EXPECT_EQ(vae.encoder[level].channels, known.channels[level]);
    EXPECT_EQ(vae.encoder[level].resnets, known.resnets);
    EXPECT_EQ(vae.decoder[level].channels, known.channels[levels - 1 - level]);
    EXPECT_EQ(vae.decoder[level].resnets, known.resnets + 1);
    EXPECT_EQ(vae.encoder[level].resample, level + 1 != levels);
    EXPECT_EQ(vae.decoder[level].resample, level + 1 != levels);
  }
  EXPECT_EQ(vae.factor(), known.factor);
}

TEST_P(VaeConfigOfAnyDepth, IsReadInBothLayouts) {
  const std::vector<RelativeTensor> tensors = load_relative(GetParam().name);
  expect_config(in_diffusers_layout(tensors), GetParam());
  expect_config(in_original_layout(tensors, ""), GetParam());
}

TEST_P(VaeConfigOfAnyDepth, MapsOriginalNamesToDiffusers) {
  const std::vector<RelativeTensor> tensors = load_relative(GetParam().name);
  const ManifestCheckpoint checkpoint(in_original_layout(tensors, ""));
  const Model model = detect(*checkpoint);
  for (const RelativeTensor& tensor : tensors) {
    const WeightSource* source = model.find("vae")->weights.find(tensor.canonical);
    ASSERT_NE(source, nullptr) << tensor.canonical;
    EXPECT_EQ(source->tensor->name, tensor.original);
  }
}

INSTANTIATE_TEST_SUITE_P(Relatives, VaeConfigOfAnyDepth, testing::ValuesIn(kKnown),
                         [](const auto& known) { return known.param.name; });

TEST(VaeConfig, OfADecoderAlone) {
  Manifest manifest = load_manifest("vae-standalone");
  manifest.erase("encoder.");
  manifest.erase("quant_conv.");
  const ManifestCheckpoint checkpoint(manifest);
  const Model model = detect(*checkpoint);
  EXPECT_EQ(model.missing, std::vector<std::string>{});
  const auto& vae = std::get<VaeConfig>(model.find("vae")->config);
  EXPECT_TRUE(vae.encoder.empty());
  EXPECT_FALSE(vae.quant_conv);
  EXPECT_TRUE(vae.post_quant_conv);
  EXPECT_EQ(vae.latent_channels, 4);
  EXPECT_EQ(vae.factor(), 8);
}

TEST(VaeConfig, RefusesTheSixteenChannelsOfOtherFamilies) {
  Manifest manifest = load_manifest("vae-standalone");
  manifest.at("decoder.conv_in.weight").shape = {512, 16, 3, 3};
  const ManifestCheckpoint checkpoint(manifest);
  try {
    detect(*checkpoint);
    FAIL() << "took it";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_NE(error.message().find("16 latent channels"), std::string::npos);
  }
}

}  // namespace
}  // namespace sinter::arch
