#include "tests/cli/command_test.h"

namespace sinter::cli {
namespace {

class Bench : public CommandTest {};

TEST_F(Bench, TimesEveryGraphOnEveryEngine) {
  converted("sd1", "out", {"--components", "text_encoder,vae_decoder"});
  const nlohmann::json report =
      json({"bench", "out", "--width", "64", "--height", "64", "--runs", "2"});
  expect_documented("bench", report);
  ASSERT_EQ(report["graphs"].size(), 4u);
  EXPECT_EQ(report["graphs"][0]["model"], "out/text_encoder/model.onnx");
  EXPECT_EQ(report["graphs"][0]["engine"], "openvino");
  EXPECT_EQ(report["graphs"][3]["engine"], "onnxruntime");
  for (const nlohmann::json& row : report["graphs"]) {
    EXPECT_GT(row["step_seconds"], 0.0);
    EXPECT_GE(row["step_seconds"], row["best_seconds"]);
    EXPECT_GT(row["peak_rss_bytes"], 1'000'000);
  }
}

TEST_F(Bench, ComparesTwoGraphsInTurn) {
  converted("sd1", "out", {"--components", "vae_decoder"});
  const Ended ended =
      sinter({"bench", "out/vae_decoder/model.onnx", "--against", "out/vae_decoder/model.onnx",
              "--width", "64", "--height", "64", "--runs", "1", "--engine", "onnxruntime"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_TRUE(ended.out.starts_with("batch 2, 64x64, 77 tokens, 1 runs after a warm-up\n"))
      << ended.out;
  EXPECT_NE(ended.out.find(" of the time of out/vae_decoder/model.onnx\n"), std::string::npos)
      << ended.out;
}

TEST_F(Bench, RefusesWhatCannotBeTimed) {
  converted("sd1", "out", {"--components", "text_encoder"});
  expect_error(sinter({"bench", "out", "--width", "100"}), 2,
               "error: 100x512 is not in multiples of 8 pixels\n");
  expect_error(sinter({"bench", "nothing"}), 3,
               "error: cannot open nothing: No such file or directory\n");
  expect_error(sinter({"bench", "."}), 2,
               "error: . has no graphs, expected a folder like unet/ with model.onnx inside\n"
               "hint: sinter convert makes such a folder from a checkpoint\n");
  expect_error(sinter({"bench", "out", "--runs", "0"}), 2,
               "error: --runs: 0 is too small, expected at least 1\n"
               "hint: sinter bench --help shows the options and an example\n");
}

}  // namespace
}  // namespace sinter::cli
