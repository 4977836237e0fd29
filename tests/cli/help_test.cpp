// What the program says about itself, and to those who mistype.
#include <fmt/format.h>

#include <iomanip>
#include <sstream>

#include "sinter/base/file.h"
#include "sinter/cli/command.h"
#include "tests/cli/command_test.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

class Help : public CommandTest {
 protected:
  void expect_usage(std::vector<std::string> words, std::string_view text) const {
    expect_error(sinter(std::move(words)), 2, text);
  }
};

/// The words of a command line with double quotes.
std::vector<std::string> split(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> std::quoted(word);) words.push_back(word);
  return words;
}

TEST_F(Help, NamesTheVersion) {
  EXPECT_EQ(sinter({"--version"}).out, "sinter " SINTER_VERSION "\n");
}

TEST_F(Help, ListsEveryCommandWithItsSummary) {
  const Ended ended = sinter({"--help"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.out, sinter({}).out);
  for (const Command& command : commands())
    EXPECT_NE(ended.out.find(fmt::format("  {:<32}{}\n", command.name, command.summary)),
              std::string::npos)
        << ended.out;
}

TEST_F(Help, OfEachCommandEndsWithItsExample) {
  for (const Command& command : commands()) {
    const Ended ended = sinter({std::string(command.name), "--help"});
    EXPECT_EQ(ended.status, 0);
    EXPECT_TRUE(ended.out.starts_with(command.summary)) << ended.out;
    const std::string example = fmt::format("\nExample:\n  {}\n", command.example);
    EXPECT_NE(ended.out.find(example), std::string::npos) << ended.out;
  }
}

// One after the other, since some work on what an earlier one made.
TEST_F(Help, ItsExamplesWork) {
  fs::create_directories(folder() / "models");
  const fs::path model = fs::path(SINTER_SOURCE_DIR) / "models/shapes-sd1.safetensors";
  fs::copy_file(model, folder() / "models/shapes-sd1.safetensors");
  fs::create_directories(folder() / "examples");
  for (const char* name :
       {"examples/device-mismatch.log", "examples/memory-leak.log", "examples/two-devices.py"})
    fs::copy_file(fs::path(SINTER_SOURCE_DIR) / name, folder() / name);
  for (const Command& command : commands()) {
    std::vector<std::string> words = split(std::string(command.example));
    ASSERT_EQ(words.front(), "sinter");
    words.erase(words.begin());
    const Ended ended = sinter(words);
    EXPECT_TRUE(ended.status == kDone || ended.status == kFindings) << command.example << "\n"
                                                                    << ended.out << ended.err;
    EXPECT_NE(ended.out, "") << command.example;
  }
  EXPECT_TRUE(fs::exists(folder() / "circle.png"));
}

TEST_F(Help, SuggestsTheCommandThatWasMeant) {
  expect_usage({"convrt", "a", "b"},
               "error: unknown command 'convrt'\nhint: did you mean 'convert'?\n");
  expect_usage({"watercolour"},
               "error: unknown command 'watercolour'\nhint: sinter --help lists them\n");
}

TEST_F(Help, SuggestsTheOptionThatWasMeant) {
  expect_usage({"convert", "a", "b", "--precison", "fp16"},
               "error: unknown option '--precison'\nhint: did you mean '--precision'?\n");
  expect_usage({"convert", "a", "b", "--weight=pack"},
               "error: unknown option '--weight=pack'\nhint: did you mean '--weights'?\n");
  expect_usage({"inspect", "a", "--frobnicate"},
               "error: unknown option '--frobnicate'\nhint: sinter inspect --help lists them\n");
  expect_usage({"--verison"},
               "error: unknown option '--verison'\nhint: did you mean '--version'?\n");
}

TEST_F(Help, SuggestsTheNameThatWasMeant) {
  expect_usage({"convert", "a", "b", "--precision", "pf16"},
               "error: there is no precision 'pf16'; there are fp16, fp32, bf16, keep and auto\n"
               "hint: did you mean 'fp16'?\n");
  expect_usage({"convert", "a", "b", "--vae-precision", "fp8"},
               "error: there is no precision 'fp8'; there are fp16, fp32, bf16, keep and auto\n"
               "hint: did you mean 'fp16'?\n");
  expect_usage({"convert", "a", "b", "--weights", "lnik"},
               "error: there is no way to store weights 'lnik'; there are link and pack\n"
               "hint: did you mean 'link'?\n");
  expect_usage({"convert", "a", "b", "--io", "diffusion"},
               "error: there is no I/O profile 'diffusion'; there are optimum, ldm, demodiffusion, "
               "comfy and a1111\n");
  expect_usage({"convert", "a", "b", "--family", "sd51"},
               "error: there is no family 'sd51'; there are sd15, sd15-inpaint, "
               "sd15-instruct-pix2pix, sd21, sd21-inpaint, sdxl-base, sdxl-refiner, sdxl-inpaint "
               "and sdxl-instruct-pix2pix\n"
               "hint: did you mean 'sd15'?\n");
  expect_usage({"convert", "a", "b", "--prediction", "noise"},
               "error: there is no prediction 'noise'; there are epsilon and v\n");
  expect_usage({"verify", "a", "--bisect", "--engine", "openvno"},
               "error: there is no engine 'openvno'; there are openvino, onnxruntime, cuda, "
               "tensorrt and trt-rtx\n"
               "hint: did you mean 'openvino'?\n");
  expect_usage({"bench", "a", "--engine", "onxruntime"},
               "error: there is no engine 'onxruntime'; there are openvino, onnxruntime, cuda, "
               "tensorrt and trt-rtx\n"
               "hint: did you mean 'onnxruntime'?\n");
  expect_usage({"generate", "a", "-p", "x", "--sampler", "dpm"},
               "error: there is no sampler 'dpm'; there are ddim, euler, euler-karras, euler-a, "
               "dpmpp-2m, dpmpp-2m-karras and lcm\n"
               "hint: did you mean 'ddim'?\n");
  expect_usage({"generate", "a", "-p", "x", "--rng", "philox"},
               "error: there is no generator 'philox'; there is torch\n");
}

TEST_F(Help, SaysWhatIsMissing) {
  expect_usage({"inspect"},
               "error: path is required\nhint: sinter inspect --help shows the options and an "
               "example\n");
  expect_usage({"convert", "a"},
               "error: out is required\nhint: sinter convert --help shows the options and an "
               "example\n");
  expect_usage({"generate", "a"},
               "error: --prompt is required\nhint: sinter generate --help shows the options and an "
               "example\n");
}

TEST_F(Help, ManyWordsAfterAListStayArguments) {
  converted("sd1", "out");
  const Ended ended =
      sinter({"convert", "--components", "text_encoder", "sd1.safetensors", "text"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_TRUE(fs::exists(folder() / "text/text_encoder/model.onnx"));
  EXPECT_FALSE(fs::exists(folder() / "text/unet"));
  const Ended bench = sinter({"bench", "--engine", "onnxruntime", "text", "--runs", "1"});
  EXPECT_EQ(bench.status, 0) << bench.err;
}

TEST_F(Help, AnErrorIsJsonToo) {
  const Ended ended = sinter({"inspect", "nothing-here", "--json"});
  EXPECT_EQ(ended.status, 3);
  EXPECT_EQ(ended.err, "error: cannot open nothing-here: No such file or directory\n");
  EXPECT_EQ(nlohmann::json::parse(ended.out),
            nlohmann::json({{"error",
                             {{"code", "io"},
                              {"status", 3},
                              {"message", "cannot open nothing-here: No such file or directory"},
                              {"context", nlohmann::json::array()},
                              {"hint", ""}}}}));
}

}  // namespace
}  // namespace sinter::cli
