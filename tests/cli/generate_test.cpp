#include "tests/cli/generate_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "sinter/base/png_file.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

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

  const fs::path cached =
      folder() / "cache/sinter" /
      std::string(first.err.substr(first.err.find("sd1-"), std::string("sd1-0123456789ab").size()));
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

// SDXL: no negative prompt is zeros, an empty one is the empty text.

TEST_F(Generate, AnEmptyNegativePromptIsOne) {
  converted("sdxl-base", "xl");
  ASSERT_EQ(draw("xl", {"-p", "a", "-o", "absent.png"}).status, 0);
  const Ended empty = draw("xl", {"-p", "a", "-n", "", "-o", "empty.png"});
  ASSERT_EQ(empty.status, 0) << empty.err;
  EXPECT_NE(read_png(folder() / "absent.png").pixels, read_png(folder() / "empty.png").pixels);

  converted("sd1", "model");
  ASSERT_EQ(draw("model", {"-p", "a", "-o", "one.png"}).status, 0);
  ASSERT_EQ(draw("model", {"-p", "a", "-n", "", "-o", "two.png"}).status, 0);
  EXPECT_EQ(bytes("one.png"), bytes("two.png")) << "elsewhere both are the empty text";
}

TEST_F(Generate, AFolderOfOneSizeDrawsWithGuidanceInAnyBatch) {
  converted("sd1", "any");
  ASSERT_EQ(sinter({"generate", "any", "-p", "a cat", "-W", "72", "-H", "64", "--steps", "2",
                    "--engine", "onnxruntime", "-b", "3", "-o", "any.png"})
                .status,
            0);
  for (const std::string batch : {"1", "2", "4"}) {
    const std::string model = "static" + batch;
    converted("sd1", model, {"--static", batch + "x64x72"});
    const Ended ended = sinter({"generate", model, "-p", "a cat", "--steps", "2", "--engine",
                                "onnxruntime", "-b", "3", "-o", model + ".png"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    for (const std::string number : {"-1.png", "-2.png", "-3.png"}) {
      const Image image = read_png(folder() / (model + number));
      EXPECT_EQ(std::pair(image.width, image.height), std::pair(72, 64));
      const Image other = read_png(folder() / ("any" + number));
      for (std::size_t i = 0; i < image.pixels.size(); ++i)
        ASSERT_NEAR(image.pixels[i], other.pixels[i], 1) << model << number;
    }
  }
  expect_error(draw("static1", {"-p", "a"}), 2,
               "error: the size is 64x64, but static1 was converted for 72x64 alone\n"
               "hint: sinter convert '" +
                   (folder() / "sd1.safetensors").string() +
                   "' 'static1' takes every size; with --static 1x64x64 just this one\n");
  std::string prompt;
  for (int i = 0; i < 80; ++i) prompt += "cat ";
  expect_error(draw("static1", {"-p", prompt, "-W", "72"}), 2,
               "error: the prompts fill 154 tokens, but the unet was converted for 77 alone\n"
               "hint: shorten the prompt, or convert without --static\n");
}

}  // namespace
}  // namespace sinter::cli
