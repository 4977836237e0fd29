#include "sinter/arch/unet_keys.h"

#include <gtest/gtest.h>

#include "sinter/arch/model.h"
#include "tests/arch/relatives.h"

namespace sinter::arch {
namespace {

using namespace arch_test;  // NOLINT(google-build-using-namespace): the test's own support

class UNetKeys : public testing::TestWithParam<const char*> {};

TEST_P(UNetKeys, MapTheOriginalNumberingOfAnyTopology) {
  const std::vector<RelativeTensor> tensors = load_relative(GetParam());
  const ManifestCheckpoint checkpoint(in_original_layout(tensors, "model.diffusion_model."));
  const Model model = detect(*checkpoint);
  EXPECT_EQ(model.missing, std::vector<std::string>{});
  EXPECT_EQ(model.unexpected, std::vector<std::string>{});
  const WeightMap& weights = model.find("unet")->weights;
  EXPECT_EQ(weights.all().size(), tensors.size());
  for (const RelativeTensor& tensor : tensors) {
    const WeightSource* source = weights.find(tensor.canonical);
    ASSERT_NE(source, nullptr) << tensor.canonical;
    EXPECT_EQ(source->tensor->name, "model.diffusion_model." + tensor.original);
  }
}

TEST_P(UNetKeys, TakeDiffusersNamesAsTheyAre) {
  const std::vector<RelativeTensor> tensors = load_relative(GetParam());
  const ManifestCheckpoint checkpoint(in_diffusers_layout(tensors));
  const Model model = detect(*checkpoint);
  EXPECT_EQ(model.missing, std::vector<std::string>{});
  EXPECT_EQ(model.unexpected, std::vector<std::string>{});
  EXPECT_EQ(model.find("unet")->weights.all().size(), tensors.size());
}

INSTANTIATE_TEST_SUITE_P(Relatives, UNetKeys, testing::Values("shallow", "deep", "odd"));

TEST(UNetKeysOfAPrunedMiddle, MapWhatIsLeft) {
  std::vector<RelativeTensor> tensors = load_relative("shallow");
  std::erase_if(tensors, [](const RelativeTensor& tensor) {
    return tensor.canonical.starts_with("mid_block.attentions");
  });
  const ManifestCheckpoint checkpoint(in_diffusers_layout(tensors));
  const Model model = detect(*checkpoint);
  EXPECT_EQ(model.missing, std::vector<std::string>{});
  EXPECT_EQ(std::get<UNetConfig>(model.find("unet")->config).mid_depth, 0);
}

}  // namespace
}  // namespace sinter::arch
