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
  EXPECT_FALSE(report["graphs"][0].contains("width"));  // of a text encoder
  EXPECT_EQ(report["graphs"][1]["width"], 64);
  for (const nlohmann::json& row : report["graphs"]) {
    EXPECT_EQ(row["batch"], 2);
    EXPECT_EQ(row["fixed"], nlohmann::json::array());
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
  EXPECT_TRUE(ended.out.starts_with("1 run after a warm-up\n")) << ended.out;
  EXPECT_NE(ended.out.find("\nout/vae_decoder/model.onnx  2x64x64  onnxruntime  "),
            std::string::npos)
      << ended.out;
  EXPECT_NE(ended.out.find(" of the time of out/vae_decoder/model.onnx\n"), std::string::npos)
      << ended.out;
}

TEST_F(Bench, SaysAtWhatSizeAStaticGraphRan) {
  converted("sd1", "out", {"--components", "unet,vae_encoder", "--static", "1x64x128"});
  const nlohmann::json report = json({"bench", "out", "--runs", "1", "--engine", "onnxruntime"});
  expect_documented("bench", report);
  const nlohmann::json& unet = report["graphs"][0];
  EXPECT_EQ(unet["batch"], 1);
  EXPECT_EQ(unet["height"], 64);
  EXPECT_EQ(unet["width"], 128);
  EXPECT_EQ(unet["sequence"], 77);
  EXPECT_EQ(unet["fixed"], nlohmann::json({"batch", "height", "width", "sequence"}));
  EXPECT_EQ(report["graphs"][1]["height"], 64);  // a VAE encoder's are pixels themselves

  const Ended ended = sinter(
      {"bench", "out/unet/model.onnx", "--runs", "1", "--width", "128", "--engine", "onnxruntime"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.out.find("\nout/unet/model.onnx  1x64x128, 77 tokens (fixed)  onnxruntime  "),
            std::string::npos)
      << ended.out;
  expect_error(sinter({"bench", "out", "--width", "256"}), 2,
               "error: --width 256 was asked for, and out/unet/model.onnx is fixed at 128\n"
               "hint: leave --width out, or convert without --static\n");
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
