#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "sinter/base/file.h"
#include "sinter/base/png_file.h"
#include "tests/cli/command_test.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

class Generate : public CommandTest {
 protected:
  /// A small, quick drawing with these words added.
  Ended draw(const std::string& model, std::vector<std::string> more) const {
    return sinter(words(model, std::move(more)));
  }
  static std::vector<std::string> words(const std::string& model, std::vector<std::string> more) {
    std::vector<std::string> all{"generate", model,     "-W", "64",       "-H",
                                 "64",       "--steps", "2",  "--engine", "onnxruntime"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::string bytes(const fs::path& file) const { return read_text(folder() / file); }
};

TEST_F(Generate, ConvertsACheckpointIntoTheCacheOnce) {
  const std::string file = stand_in("sd1");
  const Ended first = draw(file, {"-p", "a cat", "-o", "one.png"});
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(first.out, "one.png\n");
  EXPECT_TRUE(first.err.starts_with("converted sd1.safetensors into " +
                                    (folder() / "cache/sinter/sd1-").string()))
      << first.err;
  const Ended second = draw(file, {"-p", "a cat", "-o", "two.png"});
  EXPECT_EQ(second.status, 0);
  EXPECT_EQ(second.err.find("converted"), std::string::npos) << second.err;
  EXPECT_EQ(bytes("one.png"), bytes("two.png"));

  const fs::path cached = fs::directory_iterator(folder() / "cache/sinter")->path();
  EXPECT_EQ(fs::hard_link_count(folder() / file), 5u) << "the cache holds links, not copies";
  const Ended folder_itself = draw(cached.string(), {"-p", "a cat", "-o", "three.png"});
  EXPECT_EQ(folder_itself.status, 0) << folder_itself.err;
  EXPECT_EQ(bytes("one.png"), bytes("three.png"));
}

TEST_F(Generate, AnotherFileOfTheNameIsConvertedAnew) {
  const std::string file = stand_in("sd1");
  ASSERT_EQ(draw(file, {"-p", "a cat", "-o", "one.png"}).status, 0);
  fs::last_write_time(folder() / file,
                      fs::last_write_time(folder() / file) + std::chrono::seconds(5));
  const Ended again = draw(file, {"-p", "a cat", "-o", "two.png"});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_TRUE(again.err.starts_with("converted ")) << again.err;
  EXPECT_EQ(bytes("one.png"), bytes("two.png"));
}

TEST_F(Generate, WritesHowItWasDrawnIntoThePicture) {
  converted("sd1", "model");
  const Ended ended = draw("model", {"-p", "größe, 猫", "-n", "a dog", "-s", "42", "-g", "3.5",
                                     "--sampler", "dpmpp-2m-karras", "-o", "cat.png"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const PngTexts texts = read_png_texts(folder() / "cat.png");
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_EQ(texts[0].first, "parameters");
  EXPECT_EQ(
      texts[0].second,
      "größe, 猫\nNegative prompt: a dog\nSteps: 2, Sampler: DPM++ 2M, Schedule type: Karras, "
      "CFG scale: 3.5, Seed: 42, Size: 64x64, Model: sd1, Version: sinter " SINTER_VERSION);
  const Image image = read_png(folder() / "cat.png");
  EXPECT_EQ(std::pair(image.width, image.height), std::pair(64, 64));
}

TEST_F(Generate, NamesSeveralPicturesAndASheet) {
  converted("sd1", "model");
  const Ended ended = draw("model", {"-p", "a cat", "-p", "two dogs", "-b", "2", "-s", "5", "-o",
                                     "pictures/", "--sheet", "sheet"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out,
            "pictures/01-5-a-cat.png\npictures/02-6-a-cat.png\npictures/03-5-two-dogs.png\n"
            "pictures/04-6-two-dogs.png\nsheet.png\n");
  const Image sheet = read_png(folder() / "sheet.png");
  EXPECT_GE(sheet.width, 128);
  EXPECT_GE(sheet.height, 128);
  // A picture of a batch is the one that its seed gives alone.
  ASSERT_EQ(draw("model", {"-p", "a cat", "-s", "6", "-o", "alone.png"}).status, 0);
  EXPECT_EQ(read_png(folder() / "alone.png").pixels,
            read_png(folder() / "pictures/02-6-a-cat.png").pixels);

  const Ended numbered = draw("model", {"-p", "a", "-p", "b", "-s", "1", "-s", "2", "-o", "n.png"});
  EXPECT_EQ(numbered.out, "n-1.png\nn-2.png\n");
}

TEST_F(Generate, ReportsTheSameAsJson) {
  converted("sd1", "model");
  const nlohmann::json report =
      json(words("model", {"-p", "a cat", "-o", "cat.png", "--sheet", "sheet.png"}));
  expect_documented("generate", report);
  EXPECT_EQ(report["pictures"][0]["path"], "cat.png");
  EXPECT_EQ(report["pictures"][0]["seed"], 0);
  std::vector<std::string> stages;
  for (const nlohmann::json& stage : report["stages"]) stages.push_back(stage["name"]);
  EXPECT_EQ(stages, (std::vector<std::string>{"load text_encoder", "text_encoder", "load unet",
                                              "unet", "load vae_decoder", "vae_decoder"}));
}

TEST_F(Generate, ProfilesItsStages) {
  converted("sd1", "model");
  const Ended ended = draw("model", {"-p", "a cat", "-o", "cat.png", "--profile"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_TRUE(
      ended.out.starts_with("cat.png\n"
                            "stage                          time   peak RSS\n"
                            "load text_encoder "))
      << ended.out;
  EXPECT_EQ(std::ranges::count(ended.out, '\n'), 8) << ended.out;
}

TEST_F(Generate, NamesTheNearestSizes) {
  converted("sd1", "model");
  expect_error(sinter({"generate", "model", "-p", "x", "-W", "100", "-H", "64"}), 2,
               "error: the size is 100x64, expected multiples of 8 from 8 to 16384\n"
               "hint: the nearest sizes are 96x64 and 104x64\n");
  EXPECT_EQ(entries(), (std::vector<std::string>{"model", "sd1.safetensors"}))
      << "not even a folder";
}

TEST_F(Generate, RefusesWhatCannotBeBeforeItWorks) {
  const std::string file = stand_in("sd1");
  expect_error(sinter({"generate", file, "-p", "a", "-p", "b", "-s", "1", "-s", "2", "-s", "3"}), 2,
               "error: 3 seeds for 2 prompts\nhint: give one seed for all, or one a prompt\n");
  expect_error(sinter({"generate", file, "-p", "a", "-s", "-1"}), 2,
               "error: --seed: -1 is too small, expected at least 0\n"
               "hint: sinter generate --help shows the options and an example\n");
  expect_error(sinter({"generate", "nothing", "-p", "a"}), 3, "error: there is no nothing\n");
  EXPECT_EQ(entries(), std::vector<std::string>{file});
}

TEST_F(Generate, TriesThePlaceOfThePictureFirst) {
  converted("sd1", "model");
  std::ofstream(folder() / "file") << "precious";
  expect_error(draw("model", {"-p", "a", "-o", "file/cat.png"}), 3,
               "error: cannot create the folder file: Not a directory\n");
  expect_error(draw("model", {"-p", "a", "-o", "/proc/cat.png"}), 3,
               "error: cannot create /proc/cat.png: No such file or directory\n");
  expect_error(draw("model", {"-p", "a", "-o", "cat.jpg"}), 2,
               "error: cat.jpg would be a .jpg file, and pictures are written as .png\n");
}

TEST_F(Generate, NeedsEveryPart) {
  converted("sd1", "part", {"--components", "unet"});
  expect_error(draw("part", {"-p", "a"}), 3,
               "error: part has no text_encoder/model.onnx\n"
               "hint: a folder written by sinter convert with all its components is needed\n");
  converted("sd1", "named", {"--io", "ldm"});
  expect_error(draw("named", {"-p", "a"}), 4,
               "error: the graphs of named have the names of 'ldm', expected those of 'optimum'\n"
               "hint: convert without --io to draw with sinter\n");
}

TEST_F(Generate, DamagedConfigurationIsNoBugOfOurs) {
  for (const std::string file :
       {"sinter.json", "model_index.json", "scheduler/scheduler_config.json",
        "tokenizer/vocab.json", "tokenizer/tokenizer_config.json", "unet/config.json",
        "vae_decoder/config.json"}) {
    // A folder whose record is damaged is not taken for sinter's and so not replaced.
    fs::remove_all(folder() / "model");
    converted("sd1", "model");
    for (const char* text : {"{\"a\": ", "[1, 2]", "\xff\xfe"}) {
      std::ofstream(folder() / "model" / file, std::ios::binary) << text;
      const Ended ended = draw("model", {"-p", "a", "-o", "a.png", "--steps", "1"});
      EXPECT_NE(ended.status, 70) << file << ": " << ended.err;
      EXPECT_TRUE(ended.status == 0 ||
                  ended.err.find(fs::path(file).parent_path().string()) != std::string::npos)
          << file << ": " << ended.err;
    }
  }
}

}  // namespace
}  // namespace sinter::cli
