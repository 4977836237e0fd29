#include "sinter/repack/repack.h"

#include <fstream>
#include <limits>

#include "sinter/base/file.h"
#include "sinter/base/tensor.h"
#include "tests/repack/checkpoint_files.h"

namespace sinter::repack {
namespace {

using repack_test::differences;
using repack_test::RepackTest;
using weights::Checkpoint;
namespace fs = std::filesystem;
using Names = std::vector<std::string>;

struct Narrow {
  const char* manifest;
  Names not_in_diffusers;  // what its layout has no place for
};

const Narrow kNarrow[] = {
    {"tiny/sd1", {"cond_stage_model.transformer.text_model.embeddings.position_ids"}},
    {"tiny/sd1-inpainting", {"cond_stage_model.transformer.text_model.embeddings.position_ids"}},
    {"tiny/sd2", {"cond_stage_model.model.logit_scale"}},
    {"tiny/sdxl-base",
     {"conditioner.embedders.0.transformer.text_model.embeddings.position_ids",
      "conditioner.embedders.1.model.logit_scale"}},
    {"tiny/sdxl-refiner", {"conditioner.embedders.0.model.logit_scale"}},
};

TEST_F(RepackTest, ToDiffusersAndBackGivesTheSameBytes) {
  for (const Narrow& narrow : kNarrow) {
    const fs::path original = stand_in(narrow.manifest);
    const std::string name = original.stem().string();
    run(original, name + "-folder");
    run(folder_ / (name + "-folder"), name + "-back.safetensors");
    const Checkpoint before = Checkpoint::open(original);
    const Checkpoint after = Checkpoint::open(folder_ / (name + "-back.safetensors"));
    Names expected = narrow.not_in_diffusers;
    Names lost = differences(before, after);
    std::ranges::sort(lost);
    EXPECT_EQ(lost, expected) << narrow.manifest;
    EXPECT_EQ(after.tensors().size(), before.tensors().size() - expected.size());
  }
}

TEST_F(RepackTest, WritesTheSameFileEveryTime) {
  const fs::path original = stand_in("tiny/sd2");
  run(original, "a");
  run(original, "b");
  run(folder_ / "a", "a.safetensors");
  run(folder_ / "b", "b.safetensors");
  EXPECT_EQ(read_text(folder_ / "a.safetensors"), read_text(folder_ / "b.safetensors"));
  // And a second round from there.
  run(folder_ / "a.safetensors", "again");
  run(folder_ / "again", "again.safetensors");
  EXPECT_EQ(read_text(folder_ / "a.safetensors"), read_text(folder_ / "again.safetensors"));
}

TEST_F(RepackTest, KeepsEveryTensorOfTheSameLayout) {
  const fs::path original =
      changed(stand_in("tiny/sd1"), "kept.safetensors",
              {.more = {floats("model_ema.decay", {0.5f}), floats("mystery", {1})},
               .metadata = {{"modelspec.title", "Dream"}, {"modelspec.hash_sha256", "0xabc"}}});
  const RepackReport report = run(original, "out.safetensors");
  const Checkpoint before = Checkpoint::open(original);
  const Checkpoint after = Checkpoint::open(folder_ / "out.safetensors");
  EXPECT_EQ(differences(before, after), Names{});
  EXPECT_EQ(after.metadata().at("modelspec.title"), "Dream");
  EXPECT_EQ(after.metadata().at("modelspec.hash_sha256"), "0xabc");
  EXPECT_EQ(after.metadata().at("format"), "pt");
  EXPECT_TRUE(report.left_out.empty());
  EXPECT_EQ(report.layout, "original");
}

TEST_F(RepackTest, PruneLeavesOutWhatOnlyTrainingNeeds) {
  const fs::path original =
      changed(stand_in("tiny/sd1"), "fat.safetensors",
              {.more = {floats("model_ema.diffusion_modelout2weight", {1, 2, 3}),
                        floats("optimizer_states.0.exp_avg", {1}), floats("mystery", {1})},
               .metadata = {{"modelspec.hash_sha256", "0xabc"}}});
  const RepackReport report = run(original, "out.safetensors", {.prune = true});
  EXPECT_EQ(differences(Checkpoint::open(original), Checkpoint::open(folder_ / "out.safetensors")),
            (Names{"model_ema.diffusion_modelout2weight", "optimizer_states.0.exp_avg"}));
  ASSERT_EQ(report.left_out.size(), 2u);
  EXPECT_EQ(report.left_out[0].what, "moving averages of the weights (model_ema.*)");
  EXPECT_EQ(report.left_out[0].bytes, 12u);
  EXPECT_EQ(report.left_out[1].what, "tensors of the optimizer");
  EXPECT_EQ(Checkpoint::open(folder_ / "out.safetensors").metadata().count("modelspec.hash_sha256"),
            0u);
}

TEST_F(RepackTest, ChangesTheTypeOfWeightsAndOfNothingElse) {
  const fs::path original = changed(stand_in("tiny/sd1"), "in.safetensors",
                                    {.more = {floats("betas", {0.00085f, 0.012f})}});
  run(original, "wide.safetensors", {.dtype = DType::kF32});
  run(folder_ / "wide.safetensors", "narrow.safetensors", {.dtype = DType::kF16});
  const Checkpoint before = Checkpoint::open(original);
  const Checkpoint wide = Checkpoint::open(folder_ / "wide.safetensors");
  EXPECT_EQ(wide.find("model.diffusion_model.out.2.weight")->dtype, DType::kF32);
  EXPECT_EQ(wide.find("cond_stage_model.transformer.text_model.embeddings.position_ids")->dtype,
            DType::kI64);
  EXPECT_EQ(wide.find("betas")->dtype, DType::kF32);
  // Half floats are exact in float32.
  EXPECT_EQ(differences(before, Checkpoint::open(folder_ / "narrow.safetensors")), Names{});
}

TEST_F(RepackTest, SaysThatNumbersBecameInfinite) {
  const fs::path original =
      changed(stand_in("tiny/sd1"), "in.safetensors", {.more = {floats("loud", {1e6f, 1})}});
  const RepackReport report = run(original, "out.safetensors", {.dtype = DType::kF16});
  EXPECT_EQ(report.warnings,
            Names{"1 tensor had numbers beyond float16, which became infinite (the first is "
                  "'loud')"});
}

TEST_F(RepackTest, WritesOneComponentUnderBareNames) {
  const fs::path original = stand_in("tiny/sdxl-base");
  run(original, "vae.safetensors", {.components = {"vae"}});
  const Checkpoint vae = Checkpoint::open(folder_ / "vae.safetensors");
  EXPECT_EQ(vae.find("decoder.mid.attn_1.q.weight")->shape.size(), 4u);
  run(original, "vae-diffusers.safetensors", {.layout = Layout::kDiffusers, .components = {"vae"}});
  const Checkpoint other = Checkpoint::open(folder_ / "vae-diffusers.safetensors");
  EXPECT_EQ(other.find("decoder.mid_block.attentions.0.to_q.weight")->shape.size(), 2u);
  run(folder_ / "vae-diffusers.safetensors", "vae-back.safetensors");
  EXPECT_EQ(differences(vae, Checkpoint::open(folder_ / "vae-back.safetensors")), Names{});
  const RepackReport report = run(original, "text.safetensors", {.components = {"text_encoder_2"}});
  EXPECT_NE(Checkpoint::open(folder_ / "text.safetensors")
                .find("transformer.resblocks.0.attn.in_proj_weight"),
            nullptr);
  EXPECT_EQ(report.left_out.front().what, "tensors of components that were not asked for");
}

TEST_F(RepackTest, StacksAndTurnsTheTensorsOfAnOpenClipTower) {
  run(stand_in("tiny/sdxl-base"), "folder");
  const Checkpoint split = Checkpoint::open(folder_ / "folder");
  const Checkpoint whole = Checkpoint::open(folder_ / "sdxl-base.safetensors");
  const auto& fused =
      *whole.find("conditioner.embedders.1.model.transformer.resblocks.0.attn.in_proj_weight");
  std::string stacked;
  for (const char* letter : {"q", "k", "v"}) {
    const auto bytes = split.bytes(
        *split.find(std::string("text_encoder_2/text_model.encoder.layers.0.self_attn.") + letter +
                    "_proj.weight"));
    for (const std::byte byte : bytes) stacked += static_cast<char>(byte);
  }
  std::string expected;
  for (const std::byte byte : whole.bytes(fused)) expected += static_cast<char>(byte);
  EXPECT_EQ(stacked, expected);

  const auto& stored = *whole.find("conditioner.embedders.1.model.text_projection");
  const auto& turned = *split.find("text_encoder_2/text_projection.weight");
  ASSERT_EQ(turned.shape, (Shape{stored.shape[1], stored.shape[0]}));
  const auto a = whole.bytes(stored);
  const auto b = split.bytes(turned);
  const auto rows = static_cast<std::size_t>(stored.shape[0]);
  const auto columns = static_cast<std::size_t>(stored.shape[1]);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      ASSERT_EQ(a[2 * (i * columns + j)], b[2 * (j * rows + i)]) << i << ", " << j;
}

TEST_F(RepackTest, PruneLeavesOutTextLayersThatDiffusersDoesNotBuild) {
  const fs::path original = stand_in("tiny/sd2");
  run(original, "all");
  run(original, "few", {.prune = true});
  const Checkpoint all = Checkpoint::open(folder_ / "all");
  const Checkpoint few = Checkpoint::open(folder_ / "few");
  EXPECT_NE(all.find("text_encoder/text_model.encoder.layers.2.mlp.fc1.weight"), nullptr);
  EXPECT_EQ(few.find("text_encoder/text_model.encoder.layers.2.mlp.fc1.weight"), nullptr);
  EXPECT_EQ(few.find("text_encoder/text_projection.weight"), nullptr);
  EXPECT_NE(few.find("text_encoder/text_model.encoder.layers.1.mlp.fc1.weight"), nullptr);
  EXPECT_NE(few.configs().at("text_encoder/config.json").find("\"num_hidden_layers\": 2"),
            std::string::npos);
}

TEST_F(RepackTest, SaysByMarksWhatTheSchedulerSays) {
  run(changed(stand_in("tiny/sdxl-base"), "v.safetensors",
              {.more = {floats("v_pred", {}), floats("ztsnr", {})}}),
      "folder");
  const Checkpoint folder = Checkpoint::open(folder_ / "folder");
  const std::string& scheduler = folder.configs().at("scheduler/scheduler_config.json");
  EXPECT_NE(scheduler.find("\"v_prediction\""), std::string::npos);
  run(folder_ / "folder", "back.safetensors");
  const Checkpoint back = Checkpoint::open(folder_ / "back.safetensors");
  EXPECT_NE(back.find("v_pred"), nullptr);
  EXPECT_NE(back.find("ztsnr"), nullptr);
}

TEST_F(RepackTest, KeepsAFoldersOwnConfiguration) {
  run(stand_in("tiny/sd1"), "folder");
  const fs::path config = folder_ / "folder/unet/config.json";
  std::ofstream(config)
      << R"({"_class_name":"UNet2DConditionModel","sample_size":96,"attention_head_dim":8,"mine":1})";
  run(folder_ / "folder", "half", {.dtype = DType::kBF16});
  EXPECT_EQ(read_text(folder_ / "half/unet/config.json"), read_text(config));
  EXPECT_EQ(Checkpoint::open(folder_ / "half").tensors().front().dtype, DType::kBF16);
}

TEST_F(RepackTest, CopiesWhatIsNoCheckpointUnderItsNames) {
  const fs::path file = stand_in("tiny/controlnet-sd1");
  const RepackReport report = run(file, "out.safetensors", {.dtype = DType::kF32});
  EXPECT_EQ(report.layout, "as it was");
  const Checkpoint out = Checkpoint::open(folder_ / "out.safetensors");
  EXPECT_EQ(out.tensors().size(), Checkpoint::open(file).tensors().size());
  EXPECT_EQ(out.tensors().front().dtype, DType::kF32);
  EXPECT_EQ(refusal(file, "folder"),
            "the layout cannot change: it is a ControlNet in the original layout\n"
            "  while repacking controlnet-sd1.safetensors\n"
            "hint: without --layout, repack copies its tensors to an OUT.safetensors under the "
            "names that they have");
}

TEST_F(RepackTest, RefusesQuantisedWeightsAnotherType) {
  const fs::path file = changed(
      stand_in("tiny/sd1"), "in.safetensors",
      {.more = {floats("model.diffusion_model.input_blocks.1.0.in_layers.2.weight.absmax", {1})}});
  EXPECT_EQ(refusal(file, "out.safetensors", {.dtype = DType::kF16}),
            "the file has 4-bit weights of bitsandbytes: their numbers cannot be given another "
            "type\n"
            "  while repacking in.safetensors\n"
            "hint: --dtype keep, or the float16 or float32 file of the model");
}

TEST_F(RepackTest, RefusesAnotherLayoutOfWhatIsIncomplete) {
  const fs::path file =
      changed(stand_in("tiny/sd1"), "in.safetensors", {.without = "diffusion_model.out.2"});
  EXPECT_EQ(refusal(file, "folder"),
            "the unet lacks 2 tensors, the first is 'model.diffusion_model.out.2.weight'\n"
            "  while repacking in.safetensors\n"
            "hint: the other layout needs all of them; sinter inspect lists what is missing");
  EXPECT_EQ(refusal(file, "out.safetensors"), "accepted");
}

TEST_F(RepackTest, RefusesWhatDoesNotGoTogether) {
  const fs::path file = stand_in("tiny/sd1");
  EXPECT_EQ(refusal(file, "folder", {.layout = Layout::kOriginal}),
            "the original layout is one file\n"
            "  while repacking sd1.safetensors\n"
            "hint: end its name in .safetensors, or leave --layout out for a diffusers folder");
  EXPECT_EQ(refusal(file, "out.safetensors", {.layout = Layout::kDiffusers}),
            "the diffusers layout of several components is a folder, not a .safetensors file\n"
            "  while repacking sd1.safetensors\n"
            "hint: name a folder, or one component with --components");
  EXPECT_EQ(refusal(file, "out.safetensors", {.components = {"text_encoder_2"}}),
            "the file has no component 'text_encoder_2'; it has text_encoder, unet, vae\n"
            "  while repacking sd1.safetensors");
  EXPECT_EQ(refusal(file, "sd1.safetensors"),
            "sd1.safetensors is the input\nhint: name another file or folder");
  fs::create_directories(folder_ / "mine");
  std::ofstream(folder_ / "mine/picture.png") << "x";
  EXPECT_EQ(refusal(file, "mine"),
            "mine is not empty\nhint: name a new folder, or remove it first");
}

TEST_F(RepackTest, LeavesNothingBehindWhenItFails) {
  const fs::path file = stand_in("tiny/sd1");
  EXPECT_NE(refusal(file, "folder",
                    {.extra_files = [](const arch::Model&) -> std::vector<convert::ExtraFile> {
                      throw Error(ErrorCode::kBadFile, "no tokenizer");
                    }}),
            "accepted");
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder_)) ++entries;
  EXPECT_EQ(entries, 1u);
}

}  // namespace
}  // namespace sinter::repack
