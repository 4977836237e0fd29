#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "sinter/base/file.h"
#include "sinter/base/hash.h"
#include "tests/cli/command_test.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

class Convert : public CommandTest {};

TEST_F(Convert, SaysWhatItWrote) {
  const Ended ended = sinter({"convert", stand_in("sd1"), "out"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.err, "");
  EXPECT_TRUE(ended.out.starts_with("sd1.safetensors: sd15 (")) << ended.out;
  for (const char* row :
       {"\n  text_encoder     float16 ", "\n  unet             float16 ",
        "\n  vae_decoder      float32 ", "\n  vae_encoder      float32 ", " linked\n"})
    EXPECT_NE(ended.out.find(row), std::string::npos) << row << "\n" << ended.out;
  EXPECT_NE(ended.out.find("\nout written in "), std::string::npos) << ended.out;
}

TEST_F(Convert, ReportsTheSameAsJson) {
  const nlohmann::json report =
      json({"convert", stand_in("sdxl-base"), "out", "--precision", "keep", "--weights", "pack"});
  expect_documented("convert", report);
  EXPECT_EQ(report["family"], "sdxl-base");
  ASSERT_EQ(report["graphs"].size(), 5u);
  EXPECT_EQ(report["graphs"][0]["folder"], "text_encoder");
  EXPECT_EQ(report["graphs"][0]["compute"], "float16");
  EXPECT_EQ(report["warnings"], nlohmann::json::array());
}

TEST_F(Convert, WarnsThatAPredictionIsAssumed) {
  const std::string file = stand_in("sd2");
  const Ended ended = sinter({"convert", file, "out"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_TRUE(ended.err.starts_with("warning: epsilon prediction is assumed: ")) << ended.err;
  const Ended told = sinter({"convert", file, "out", "--prediction", "v"});
  EXPECT_EQ(told.status, 0);
  EXPECT_EQ(told.err, "");
  const auto scheduler =
      nlohmann::json::parse(read_text(folder() / "out/scheduler/scheduler_config.json"));
  EXPECT_EQ(scheduler["prediction_type"], "v_prediction");
}

TEST_F(Convert, RefusesWhatItCannotWrite) {
  stand_in("sd1");
  fs::create_directories(folder() / "mine");
  std::ofstream(folder() / "mine/notes.txt") << "precious";
  std::ofstream(folder() / "file") << "precious";
  const std::string in = "sd1.safetensors";
  expect_error(sinter({"convert", in, "mine"}), 2,
               "error: mine exists and was not made by sinter\n"
               "hint: name a new folder, or remove it first\n");
  expect_error(sinter({"convert", in, "file"}), 2, "error: file exists and is not a folder\n");
  expect_error(sinter({"convert", in, "file/out"}), 3,
               "error: cannot create file/out: Not a directory\n"
               "  while converting sd1.safetensors as sd15\n");
  expect_error(sinter({"convert", in, "/proc/out"}), 3,
               "error: cannot create /proc/out: No such file or directory\n"
               "  while converting sd1.safetensors as sd15\n");
  EXPECT_EQ(read_text(folder() / "mine/notes.txt"), "precious");
  EXPECT_EQ(entries(), (std::vector<std::string>{"file", "mine", "sd1.safetensors"}));
}

TEST_F(Convert, NamesTheComponentsThereAre) {
  expect_error(sinter({"convert", stand_in("sd1"), "out", "--components", "unett"}), 2,
               "error: the checkpoint gives no 'unett'; it gives text_encoder, unet, vae_decoder, "
               "vae_encoder\n"
               "  while converting sd1.safetensors as sd15\n");
}

TEST_F(Convert, ExplainsASizeThatIsNone) {
  stand_in("sd1");
  expect_error(sinter({"convert", "sd1.safetensors", "out", "--static", "512x512"}), 2,
               "error: --static is '512x512', expected BATCHxHEIGHTxWIDTH in pixels, for example "
               "1x512x512\n");
  expect_error(sinter({"convert", "sd1.safetensors", "out", "--static", "1x100x64"}), 2,
               "error: a static size of 100 pixels is not a multiple of 8\n"
               "  while building unet\n"
               "  while converting sd1.safetensors as sd15\n");
  EXPECT_EQ(entries(), std::vector<std::string>{"sd1.safetensors"});
}

TEST_F(Convert, RefusesDamagedFilesWithStatus3) {
  write_keys("half.safetensors", {{"a", {1000}}});
  fs::resize_file(folder() / "half.safetensors", 2000);
  std::ofstream(folder() / "page.safetensors") << "<!DOCTYPE html><html></html>";
  std::ofstream(folder() / "empty.safetensors");
  expect_error(sinter({"convert", "half.safetensors", "out"}), 3,
               "error: the file ends at byte 2000, expected 4072: 2072 bytes are missing\n"
               "  while reading half.safetensors as safetensors\n"
               "hint: it looks like a half download or a broken copy; fetch the file again\n");
  expect_error(sinter({"convert", "page.safetensors", "out"}), 3,
               "error: page.safetensors is a web page saved in place of the model (html), expected "
               "safetensors\n"
               "hint: the download needs a login or another address; open the page's link in a "
               "browser\n");
  EXPECT_EQ(sinter({"convert", "empty.safetensors", "out"}).status, 3);
  expect_error(sinter({"convert", "nothing", "out"}), 3,
               "error: cannot open nothing: No such file or directory\n");
}

TEST_F(Convert, NamesTheTensorThatAPrunedFileLacks) {
  write_keys("text.safetensors", {{"text_model.final_layer_norm.weight", {768}},
                                  {"text_model.embeddings.position_embedding.weight", {77, 768}}});
  const Ended ended = sinter({"convert", "text.safetensors", "out"});
  EXPECT_EQ(ended.status, 3) << ended.err;
  EXPECT_TRUE(ended.err.starts_with("error: the checkpoint has no 'text_model.")) << ended.err;
  EXPECT_NE(ended.err.find("\n  while building text_encoder\n"), std::string::npos) << ended.err;
}

TEST_F(Convert, AFolderThatLoopsIsTheSystemsWord) {
  stand_in("sd1");
  fs::create_symlink("loop", folder() / "loop");
  expect_error(sinter({"convert", "sd1.safetensors", "loop"}), 3,
               "error: cannot use loop: Too many levels of symbolic links\n");
  expect_error(sinter({"convert", "loop", "out"}), 3,
               "error: cannot open loop: Too many levels of symbolic links\n");
  expect_error(sinter({"generate", "loop", "-p", "x"}), 3,
               "error: cannot use loop/sinter.json: Too many levels of symbolic links\n");
  expect_error(sinter({"bench", "loop"}), 3,
               "error: cannot use loop: Too many levels of symbolic links\n");
  expect_error(sinter({"verify", "loop", "--bisect"}), 3,
               "error: cannot use loop: Too many levels of symbolic links\n");
}

// Every graph of the folder works for an engine, whatever the name and the locale.
TEST_F(Convert, TakesAnyFileName) {
  stand_in("sd1");
  const std::vector<std::string> names{"with space and 'quote'", "größe-模型",
                                       "b\xff"
                                       "d"};
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    fs::create_directories(folder() / name);
    const std::string file = name + "/" + name + ".safetensors";
    fs::copy_file(folder() / "sd1.safetensors", folder() / file);
    for (const char* locale : {"C", "C.UTF-8"}) {
      Invocation convert =
          command({"convert", file, name + "/out", "--components", "text_encoder"});
      convert.environment["LC_ALL"] = locale;
      EXPECT_EQ(run(convert).status, 0) << run(convert).err;
      Invocation verify = command({"verify", name + "/out", "--against", "onnxruntime"});
      verify.environment["LC_ALL"] = locale;
      const Ended verified = run(verify);
      EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
    }
  }
}

TEST_F(Convert, AChangedSourceIsNamedWithWhatChanged) {
  converted("sd1", "out");
  const fs::path file = folder() / "sd1.safetensors";
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(5));
  const Ended ended = sinter({"verify", "out", "--against", "onnxruntime"});
  EXPECT_EQ(ended.status, 3);
  EXPECT_EQ(ended.out, "");
  EXPECT_TRUE(ended.err.starts_with(
      "error: out/text_encoder/model.onnx takes its weights from out/text_encoder/sd1.safetensors, "
      "which is not the file that was linked\n"
      "  linked from   " +
      fs::canonical(file).string() + "\n  bytes         "))
      << ended.err;
  EXPECT_NE(ended.err.find(fmt::format("\nhint: put the old file back, or convert again: sinter "
                                       "convert '{}' '{}'\n",
                                       fs::canonical(file).string(),
                                       (fs::canonical(folder()) / "out").string())),
            std::string::npos)
      << ended.err;
  const Ended drawn = sinter({"generate", "out", "-p", "x", "-W", "64", "-H", "64"});
  EXPECT_EQ(drawn.status, 3) << drawn.err;
  EXPECT_NE(drawn.err.find("is not the file that was linked"), std::string::npos) << drawn.err;
}

TEST_F(Convert, ADeletedLinkIsNamedWithItsSource) {
  converted("sd1", "out");
  fs::remove(folder() / "out/unet/sd1.safetensors");
  const Ended ended = sinter({"verify", "out", "--against", "onnxruntime"});
  EXPECT_EQ(ended.status, 3);
  EXPECT_TRUE(
      ended.err.starts_with("error: the weights of out/unet/model.onnx are in "
                            "'sd1.safetensors', and there is no out/unet/sd1.safetensors\n"
                            "  while reading out/unet/model.onnx\n"
                            "hint: the checkpoint was moved or deleted (it was "))
      << ended.err;
}

}  // namespace
}  // namespace sinter::cli
