#include "sinter/plan/plan.h"

#include <filesystem>

#include "tests/cli/command_test.h"

namespace sinter::cli {
namespace {

class Plan : public CommandTest {};

TEST_F(Plan, GivesProfilesMemoryAndWhatFits) {
  converted("sd1", "out");
  const nlohmann::json report = json({"plan", "out", "--size", "128x128:192x128", "--batch", "1:2",
                                      "--vram", "1GB", "--trtexec", "10", "--gpu", "sm75"});
  expect_documented("plan", report);
  const nlohmann::json& graphs = report["plan"]["graphs"];
  ASSERT_EQ(graphs.size(), 4u);
  EXPECT_EQ(graphs["unet"]["inputs"]["sample"]["min"], nlohmann::json({1, 4, 8, 8}));
  EXPECT_EQ(graphs["unet"]["inputs"]["sample"]["opt"], nlohmann::json({2, 4, 16, 16}));
  EXPECT_EQ(graphs["unet"]["inputs"]["sample"]["max"], nlohmann::json({4, 4, 24, 32}));
  EXPECT_EQ(report["engines"].size(), 3u);
  EXPECT_EQ(report["engines"][2]["planned"], true);
  EXPECT_EQ(report["trtexec"].size(), 4u);
  EXPECT_EQ(report["card"]["memory_bytes"], 1 << 30);
  EXPECT_EQ(report["notes"][0],
            "TensorRT-RTX 1.7 builds no float32 matrix products for Turing (sm75), and "
            "text_encoder, unet, vae_decoder, vae_encoder have some; TensorRT takes them");
}

TEST_F(Plan, WritesTheFileThatBuildReads) {
  converted("sdxl-base", "out");
  const Ended ended = sinter({"plan", "out", "--size", "256x256", "-o", "plan.json"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  const plan::Plan plan = plan::read_plan(folder() / "plan.json");
  EXPECT_EQ(plan.graphs.size(), 5u);
  EXPECT_EQ(plan.sizes.width, (plan::Range{128, 256, 320}));
  // What is printed as JSON is taken as well.
  const Ended printed = sinter({"plan", "out", "--size", "256x256", "--json"});
  EXPECT_EQ(plan::to_json(plan::plan_from_json(printed.out)), plan::to_json(plan));
}

TEST_F(Plan, TakesOneGraphOrAStaticFolder) {
  converted("sd1", "out", {"--static", "1x64x64"});
  const nlohmann::json report = json({"plan", "out/unet/model.onnx"});
  EXPECT_EQ(report["plan"]["graphs"]["unet"]["inputs"], nlohmann::json::object());
  EXPECT_EQ(report["graphs"][0]["fixed"], true);
  EXPECT_EQ(report["notes"][0],
            "unet has one size, whatever --size and --batch say; convert without --static for "
            "engines of a range");
}

TEST_F(Plan, RefusesWordsThatMakeNoSense) {
  converted("sd1", "out", {"--components", "vae_decoder"});
  expect_error(sinter({"plan", "out", "--gpu", "rtx4091"}), 2,
               "error: no GPU is called 'rtx4091'\n"
               "hint: did you mean 'rtx4090'? An architecture (sm89) will do too\n");
  expect_error(sinter({"plan", "out", "--size", "500x512"}), 2,
               "error: the size '500x512' is not WIDTHxHEIGHT with sides that are multiples of 8 "
               "from 64 to 16384\n"
               "hint: several sizes stand as 512x512:768x512, the main one first\n");
  expect_error(sinter({"plan", "out", "--vram", "much"}), 2,
               "error: 'much' is no size of a card's memory, expected one as 8GB\n");
  expect_error(sinter({"plan", "out", "--trtexec", "9"}), 2,
               "error: there is no trtexec '9' here; there are 8.6, 10, 11\n");
  expect_error(sinter({"plan", "out", "--batch", "4:1"}), 2,
               "error: --batch is '4:1', expected the usual number, or it and the most as 1:4, "
               "from 1 to 64\n");
  expect_error(sinter({"plan", "."}), 2,
               "error: . has no graphs, expected a folder like unet/ with model.onnx inside\n"
               "hint: sinter convert makes such a folder from a checkpoint\n");
  expect_error(sinter({"plan", "nothing"}), 3,
               "error: cannot open nothing: No such file or directory\n");
  EXPECT_FALSE(std::filesystem::exists(folder() / "plan.json"));
}

}  // namespace
}  // namespace sinter::cli
