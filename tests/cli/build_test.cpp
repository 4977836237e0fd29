// Engines on the command line: what goes wrong is one clear error and leaves nothing.
#include <filesystem>
#include <fstream>

#include "sinter/engine/backend.h"
#include "tests/cli/command_test.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

/// One error of that status, whose text has these words.
void expect_refused(const Ended& ended, int status, std::string_view words) {
  EXPECT_EQ(ended.status, status) << ended.err;
  EXPECT_TRUE(ended.err.starts_with("error: ")) << ended.err;
  EXPECT_NE(ended.err.find(words), std::string::npos) << ended.err;
  EXPECT_EQ(ended.out, "");
}

class BuildCommand : public CommandTest {
 protected:
  void SetUp() override {
    if (!engine::compiled_in(engine::Flavour::kTensorRtRtx) ||
        !fs::exists(fs::path(SINTER_TENSORRT_LIBRARIES) / "libtensorrt_rtx.so.1"))
      GTEST_SKIP() << "no TensorRT-RTX here (scripts/setup --retry)";
    converted("taesd", "out");
  }
  void expect_nothing_made() const { EXPECT_FALSE(fs::exists(folder() / "out/engines")); }
};

TEST_F(BuildCommand, MakesEnginesThatTheOtherCommandsDescribe) {
  const nlohmann::json built = json(
      {"build", "out", "--gpu", "rtx4090,sm86", "--size", "64x64", "--component", "vae_decoder"});
  ASSERT_EQ(built["engines"].size(), 1U);
  const nlohmann::json& engine = built["engines"][0];
  EXPECT_EQ(engine["compute_capabilities"], (nlohmann::json{"sm86", "sm89"}));
  EXPECT_GT(engine["build"]["memory"]["activation_bytes"], 0);
  EXPECT_EQ(engine["checkpoints"][0]["sha256"].get<std::string>().size(), 64U);
  expect_documented("build", built);

  const nlohmann::json serving = json({"engines", "out", "--gpu", "sm89", "--size", "64x64"});
  EXPECT_EQ(serving["engines"][0]["serves"], true);
  expect_documented("engines", json({"engines", "out", "--gpu", "sm120", "--size", "64x64"}, 1));

  const nlohmann::json layers = json({"layers", "out"});
  EXPECT_EQ(layers["engines"][0]["known"], true);
  EXPECT_GT(layers["engines"][0]["kernels"], 0);
  expect_documented("layers", layers);

  const Ended refused = sinter({"engines", "out", "--gpu", "sm120", "--size", "2048x2048"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.out.find("it is for sm86 and sm89, this GPU is sm120"), std::string::npos);
  EXPECT_NE(refused.out.find("to build one: sinter build out --gpu sm120 --size 2048x2048"),
            std::string::npos)
      << refused.out;
}

TEST_F(BuildCommand, NamesTheNearestGpu) {
  expect_refused(sinter({"build", "out", "--gpu", "rtx4091"}), 2, "rtx4091");
  expect_nothing_made();
}

TEST_F(BuildCommand, SaysHowToGetTheLibrary) {
  const Ended ended = sinter({"build", "out", "--gpu", "sm89", "--library", "."});
  expect_refused(ended, 5, "no TensorRT-RTX: libtensorrt_rtx.so is not in .");
  expect_nothing_made();
}

TEST_F(BuildCommand, AFullDiskIsAClearErrorAndLeavesNothing) {
  Invocation build = command({"build", "out", "--gpu", "sm89", "--size", "64x64"});
  build.largest_file = 100'000;
  const Ended ended = run(build);
  EXPECT_EQ(ended.status, 3) << ended.err;
  EXPECT_NE(ended.err.find("File too large"), std::string::npos) << ended.err;
  expect_nothing_made();
}

TEST_F(BuildCommand, ADamagedGraphIsAClearErrorAndLeavesNothing) {
  std::ofstream(folder() / "out/vae_decoder/model.onnx") << "no graph";
  const Ended ended = sinter({"build", "out", "--gpu", "sm89", "--size", "64x64"});
  expect_refused(ended, 3, "vae_decoder/model.onnx");
  expect_nothing_made();
}

}  // namespace
}  // namespace sinter::cli
