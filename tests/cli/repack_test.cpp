#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/command_test.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

class Repack : public CommandTest {};

TEST_F(Repack, WritesAFolderAndAFileOfIt) {
  stand_in("sd2");
  const Ended ended = sinter({"repack", "sd2.safetensors", "folder"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_NE(ended.out.find("sd2.safetensors: a Stable Diffusion 2.x checkpoint\n"
                           "  text_encoder/model.safetensors                 53 tensors"),
            std::string::npos)
      << ended.out;
  EXPECT_NE(ended.out.find("  left out: tensors that no network needs (noise schedules, ids): 1 "
                           "tensor, 2 B, the first is 'cond_stage_model.model.logit_scale'\n"),
            std::string::npos)
      << ended.out;
  EXPECT_NE(ended.err.find("warning: the scheduler says epsilon: "), std::string::npos);
  for (const char* file : {"model_index.json", "tokenizer/vocab.json",
                           "scheduler/scheduler_config.json", "unet/config.json"})
    EXPECT_TRUE(fs::exists(folder() / "folder" / file)) << file;
  EXPECT_EQ(sinter({"repack", "folder", "back.safetensors", "--dtype", "fp32"}).status, 0);
  const nlohmann::json report = json({"inspect", "back.safetensors"});
  EXPECT_EQ(report["architecture"], "sd2");
  EXPECT_EQ(report["missing"], nlohmann::json::array());
}

TEST_F(Repack, ReportsTheSameAsJson) {
  stand_in("sd1");
  const nlohmann::json report =
      json({"repack", "sd1.safetensors", "vae.safetensors", "--components", "vae"});
  expect_documented("repack", report);
  EXPECT_EQ(report["layout"], "original");
  EXPECT_EQ(report["files"].size(), 1u);
  EXPECT_EQ(report["files"][0]["tensors"], 244);
}

TEST_F(Repack, RefusesUnknownWords) {
  expect_error(sinter({"repack", "a", "b", "--dtype", "fp61"}), 2,
               "error: there is no type 'fp61'; there are fp32, fp16, bf16 and keep\nhint: did you "
               "mean 'fp16'?\n");
}

}  // namespace
}  // namespace sinter::cli
