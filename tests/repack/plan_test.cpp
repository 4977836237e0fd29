#include "sinter/repack/plan.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/arch/manifest_checkpoint.h"

namespace sinter::repack {
namespace {

using arch_test::load_manifest;
using arch_test::Manifest;
using arch_test::ManifestCheckpoint;
using Shapes = std::map<std::string, Shape>;

Shapes shapes_of(const std::vector<weights::ComputedTensor>& tensors) {
  Shapes shapes;
  for (const weights::ComputedTensor& tensor : tensors) shapes[tensor.name] = tensor.shape;
  return shapes;
}

/// prefix: of the names that count; taken off.
Shapes shapes_of(const Manifest& manifest, const std::string& prefix = {}) {
  Shapes shapes;
  for (const auto& tensor : manifest.tensors)
    if (tensor.name.starts_with(prefix)) shapes[tensor.name.substr(prefix.size())] = tensor.shape;
  return shapes;
}

Plan plan_of(const weights::Checkpoint& checkpoint, const std::string& out,
             const RepackOptions& options = {}) {
  return make_plan(checkpoint, arch::read_names(checkpoint.tensors(), checkpoint.metadata()), out,
                   options);
}

const FilePlan& file_of(const Plan& plan, const std::string& folder) {
  for (const FilePlan& file : plan.files)
    if (file.path.starts_with(folder + "/")) return file;
  throw std::out_of_range(folder);
}

/// The names and shapes that diffusers and transformers themselves have for these networks.
TEST(Plan, OfAPublishedCheckpointHasTheNamesOfDiffusers) {
  struct Published {
    const char* original;
    const char* folder;
    const char* diffusers;
  };
  for (const Published& published :
       {Published{"sd15", "unet", "sd15-unet"}, Published{"sd15", "vae", "vae-kl-f8"},
        Published{"sd15", "text_encoder", "text-encoder-clip-l"},
        Published{"sdxl-base", "unet", "sdxl-unet"}, Published{"sdxl-base", "vae", "vae-kl-f8"},
        Published{"sdxl-base", "text_encoder", "text-encoder-clip-l"},
        Published{"sdxl-base", "text_encoder_2", "text-encoder-2-bigG"}}) {
    const ManifestCheckpoint checkpoint{std::string(published.original)};
    const Plan plan = plan_of(*checkpoint, "folder");
    Manifest expected = load_manifest(std::string("diffusers/") + published.diffusers);
    expected.erase("text_model.embeddings.position_ids");
    EXPECT_EQ(shapes_of(file_of(plan, published.folder).tensors), shapes_of(expected))
        << published.original << " " << published.folder;
  }
}

TEST(Plan, OfDiffusersComponentsHasTheOriginalNames) {
  struct Published {
    const char* diffusers;
    const char* original;
    const char* prefix;
  };
  for (const Published& published :
       {Published{"sd15-unet", "sd15", "model.diffusion_model."},
        Published{"sdxl-unet", "sdxl-base", "model.diffusion_model."},
        Published{"vae-kl-f8", "sd15", "first_stage_model."},
        Published{"text-encoder-2-bigG", "sdxl-base", "conditioner.embedders.1.model."}}) {
    const ManifestCheckpoint checkpoint{std::string("diffusers/") + published.diffusers};
    const Plan plan = plan_of(*checkpoint, "out.safetensors");
    Manifest original = load_manifest(published.original);
    original.erase(std::string(published.prefix) + "logit_scale");
    EXPECT_EQ(shapes_of(plan.files.front().tensors), shapes_of(original, published.prefix))
        << published.diffusers;
  }
}

TEST(Plan, OfTheRefinerHasOneTextEncoderAndNoFirst) {
  const ManifestCheckpoint checkpoint{std::string("sdxl-refiner")};
  const Plan plan = plan_of(*checkpoint, "folder");
  ASSERT_EQ(plan.files.size(), 3u);
  EXPECT_EQ(plan.files[0].path, "text_encoder_2/model.safetensors");
  const auto index = std::ranges::find(plan.texts, "model_index.json", &convert::ExtraFile::path);
  ASSERT_NE(index, plan.texts.end());
  const auto json = nlohmann::json::parse(index->text);
  EXPECT_EQ(json["_class_name"], "StableDiffusionXLImg2ImgPipeline");
  EXPECT_EQ(json["text_encoder"], nlohmann::json({nullptr, nullptr}));
  EXPECT_EQ(json["text_encoder_2"],
            nlohmann::json({"transformers", "CLIPTextModelWithProjection"}));
  EXPECT_EQ(json["requires_aesthetics_score"], true);
}

/// As published beside the weights: the numbers that a pipeline is built from.
TEST(Plan, WritesTheConfigurationOfThePublishedNetworks) {
  const ManifestCheckpoint checkpoint{std::string("sdxl-base")};
  const Plan plan = plan_of(*checkpoint, "folder");
  const auto text = std::ranges::find(plan.texts, "unet/config.json", &convert::ExtraFile::path);
  const auto json = nlohmann::json::parse(text->text);
  EXPECT_EQ(json["transformer_layers_per_block"], nlohmann::json({1, 2, 10}));
  EXPECT_EQ(json["attention_head_dim"], nlohmann::json({5, 10, 20}));
  EXPECT_EQ(json["projection_class_embeddings_input_dim"], 2816);
  const ManifestCheckpoint small{std::string("sd15")};
  const Plan first = plan_of(*small, "folder");
  const auto unet = nlohmann::json::parse(
      std::ranges::find(first.texts, "unet/config.json", &convert::ExtraFile::path)->text);
  // The last level has no attention; its number is the middle's.
  EXPECT_EQ(unet["transformer_layers_per_block"], nlohmann::json({1, 1, 1, 1}));
  const auto vae = nlohmann::json::parse(
      std::ranges::find(first.texts, "vae/config.json", &convert::ExtraFile::path)->text);
  EXPECT_EQ(vae["layers_per_block"], 2);
  EXPECT_EQ(vae["down_block_types"].size(), 4u);
}

}  // namespace
}  // namespace sinter::repack
