#include "sinter/weights/folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "sinter/base/error.h"
#include "tests/weights/temporary_folder.h"

namespace sinter::weights {
namespace fs = std::filesystem;
namespace {

class FolderPlanTest : public FolderTest {
 protected:
  void put(std::string_view name, std::string_view text = "x") const {
    FolderTest::put(name, text);
  }

  /// The weight files that are chosen, relative to the folder.
  std::vector<std::string> chosen(const std::string& variant = {}) const {
    std::vector<std::string> names;
    for (const FolderPart& part : plan_folder(folder_, variant).parts)
      for (const fs::path& file : part.files)
        names.push_back(file.lexically_relative(folder_).generic_string());
    return names;
  }

  /// The message of a refusal, without the folder's own path.
  std::string refusal(const std::string& variant = {}) const {
    try {
      plan_folder(folder_, variant);
    } catch (const Error& error) {
      std::string message = error.message();
      for (std::size_t at; (at = message.find(folder_.string())) != std::string::npos;)
        message.erase(at, folder_.string().size());
      return message;
    }
    return "accepted";
  }

  using Names = std::vector<std::string>;
};

constexpr const char* kIndex =
    R"({"unet":["diffusers","UNet2DConditionModel"],"text_encoder":["transformers","CLIPTextModel"]})";

TEST_F(FolderPlanTest, ThePlainFileComesBeforeVariants) {
  put("diffusion_pytorch_model.fp16.safetensors");
  put("diffusion_pytorch_model.non_ema.safetensors");
  EXPECT_EQ(chosen(), (Names{"diffusion_pytorch_model.fp16.safetensors"}));
  put("diffusion_pytorch_model.safetensors");
  EXPECT_EQ(chosen(), (Names{"diffusion_pytorch_model.safetensors"}));
}

TEST_F(FolderPlanTest, AVariantIsTakenWhereAComponentHasIt) {
  put("model_index.json", kIndex);
  put("text_encoder/model.safetensors");
  put("unet/diffusion_pytorch_model.safetensors");
  put("unet/diffusion_pytorch_model.non_ema.safetensors");
  EXPECT_EQ(chosen("non_ema"), (Names{"text_encoder/model.safetensors",
                                      "unet/diffusion_pytorch_model.non_ema.safetensors"}));
}

TEST_F(FolderPlanTest, AVariantThatNoComponentHasIsRefused) {
  put("model_index.json", kIndex);
  put("text_encoder/model.fp16.safetensors");
  put("unet/diffusion_pytorch_model.safetensors");
  EXPECT_EQ(refusal("bf16"), " has no weights of variant 'bf16'; it has no variant, fp16");
}

TEST_F(FolderPlanTest, ShardsOfTheVariantAreTaken) {
  put("diffusion_pytorch_model-00001-of-00002.safetensors");
  put("diffusion_pytorch_model-00002-of-00002.safetensors");
  put("diffusion_pytorch_model.fp16-00001-of-00002.safetensors");
  put("diffusion_pytorch_model.fp16-00002-of-00002.safetensors");
  EXPECT_EQ(chosen("fp16"), (Names{"diffusion_pytorch_model.fp16-00001-of-00002.safetensors",
                                   "diffusion_pytorch_model.fp16-00002-of-00002.safetensors"}));
  EXPECT_EQ(chosen(), (Names{"diffusion_pytorch_model-00001-of-00002.safetensors",
                             "diffusion_pytorch_model-00002-of-00002.safetensors"}));
}

TEST_F(FolderPlanTest, SafetensorsComeBeforeBin) {
  put("pytorch_model.bin");
  put("training_args.bin");
  put("openvino_model.bin");
  EXPECT_EQ(chosen(), (Names{"pytorch_model.bin"}));
  put("model.fp16.safetensors");
  EXPECT_EQ(chosen(), (Names{"model.fp16.safetensors"}));
}

TEST_F(FolderPlanTest, ShardedBinHasItsOwnIndex) {
  put("pytorch_model-00001-of-00001.bin");
  put("pytorch_model.bin.index.json", R"({"weight_map":{"a":"pytorch_model-00001-of-00001.bin"}})");
  const FolderPlan plan = plan_folder(folder_);
  ASSERT_EQ(plan.parts.size(), 1u);
  EXPECT_EQ(plan.parts[0].shard_of.at("a"), "pytorch_model-00001-of-00001.bin");
}

TEST_F(FolderPlanTest, ACheckpointBesideThePipelineIsNotLookedAt) {
  put("model_index.json", kIndex);
  put("v1-5-pruned.safetensors");
  put("v1-5-pruned-emaonly.ckpt");
  put("text_encoder/model.safetensors");
  put("unet/diffusion_pytorch_model.safetensors");
  EXPECT_EQ(chosen(),
            (Names{"text_encoder/model.safetensors", "unet/diffusion_pytorch_model.safetensors"}));
}

TEST_F(FolderPlanTest, SeveralControlNetsAreNumberedBesideTheIndex) {
  const std::string weights = "/diffusion_pytorch_model.safetensors";
  for (const char* name : {"controlnet", "controlnet_1", "controlnet_2"}) put(name + weights);
  put("unet" + weights);
  put("model_index.json", R"({"unet":["diffusers","UNet2DConditionModel"],)"
                          R"("controlnet":["x","MultiControlNetModel"]})");
  EXPECT_EQ(chosen(), (Names{"controlnet" + weights, "controlnet_1" + weights,
                             "controlnet_2" + weights, "unet" + weights}));
  put("model_index.json", R"({"controlnet":["diffusers","ControlNetModel"]})");
  EXPECT_EQ(chosen(), (Names{"controlnet" + weights}));
}

TEST_F(FolderPlanTest, APipelineThatLostItsIndexIsReadByItsFolders) {
  put("unet/diffusion_pytorch_model.safetensors");
  put("vae/diffusion_pytorch_model.safetensors");
  put("scheduler/scheduler_config.json", "{}");
  const FolderPlan plan = plan_folder(folder_);
  ASSERT_EQ(plan.parts.size(), 2u);
  EXPECT_EQ(plan.parts[1].prefix, "vae/");
  EXPECT_EQ(plan.configs.count("scheduler/scheduler_config.json"), 1u);
}

TEST_F(FolderPlanTest, TheCachesMainSnapshotIsTaken) {
  put("blobs/0a1b");
  put("refs/main", "abc123\n");
  put("snapshots/abc123/model_index.json", kIndex);
  put("snapshots/abc123/text_encoder/model.safetensors");
  fs::create_directories(folder_ / "snapshots/abc123/unet");
  fs::create_symlink("../../../blobs/0a1b",
                     folder_ / "snapshots/abc123/unet/diffusion_pytorch_model.safetensors");
  put("snapshots/older/model_index.json", kIndex);
  EXPECT_EQ(chosen(), (Names{"snapshots/abc123/text_encoder/model.safetensors",
                             "snapshots/abc123/unet/diffusion_pytorch_model.safetensors"}));
  EXPECT_EQ(pipeline_root(folder_), folder_ / "snapshots/abc123");
  put("refs/main", "../../elsewhere");
  EXPECT_EQ(refusal(), "/snapshots holds 2 snapshots: it cannot be told which is meant");
  fs::remove_all(folder_ / "snapshots/older");
  EXPECT_EQ(pipeline_root(folder_), folder_ / "snapshots/abc123");
}

}  // namespace
}  // namespace sinter::weights
