// What `generate` refuses, and with which words.
#include <fmt/format.h>

#include <fstream>

#include "tests/cli/generate_test.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

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
               "error: --seed: expected a whole number from 0 to 18446744073709551615, found -1\n"
               "hint: sinter generate --help shows the options and an example\n");
  expect_error(sinter({"generate", "nothing", "-p", "a"}), 3, "error: there is no nothing\n");
  EXPECT_EQ(entries(), std::vector<std::string>{file});
}

TEST_F(Generate, NumbersHaveLimits) {
  const std::string file = stand_in("sd1");
  struct Row {
    const char* option;
    const char* given;
    const char* limits;
  };
  constexpr const char* kSeeds = "0 to 18446744073709551615";
  for (const Row& row :
       {Row{"--seed", "18446744073709551616", kSeeds},
        Row{"--seed", "99999999999999999999999", kSeeds}, Row{"--seed", "0x10", kSeeds},
        Row{"--seed", "1.5", kSeeds}, Row{"--width", "0", "1 to 16384"},
        Row{"--width", "-8", "1 to 16384"}, Row{"--height", "99999999999", "1 to 16384"},
        Row{"--batch", "0", "1 to 1024"}, Row{"--batch", "1000000", "1 to 1024"},
        Row{"--steps", "0", "1 to 1000"}, Row{"--steps", "abc", "1 to 1000"}}) {
    expect_error(sinter({"generate", file, "-p", "a", row.option, row.given}), 2,
                 fmt::format("error: {}: expected a whole number from {}, found {}\n"
                             "hint: sinter generate --help shows the options and an example\n",
                             row.option, row.limits, row.given));
  }
  expect_error(sinter({"generate", file, "-p", "a", "-s", ""}), 2,
               "error: --seed: expected a whole number from 0 to 18446744073709551615, found "
               "nothing\nhint: sinter generate --help shows the options and an example\n");
  EXPECT_EQ(entries(), std::vector<std::string>{file}) << "before the conversion";
  const nlohmann::json report = json(words(file, {"-p", "a", "-s", "010", "-o", "a.png"}));
  EXPECT_EQ(report["pictures"][0]["seed"], 10) << "not octal";
}

TEST_F(Generate, FilesThatCannotBeAreRefusedBeforeItWorks) {
  const std::string file = stand_in("sd1");
  std::ofstream(folder() / "file") << "precious";
  const auto refused = [&](std::vector<std::string> more, int status, const std::string& text) {
    std::vector<std::string> words{"generate", file, "-p", "a"};
    words.insert(words.end(), more.begin(), more.end());
    expect_error(sinter(words), status, "error: " + text + "\n");
  };
  refused({"-o", ""}, 2, "--output is empty, expected a .png file or a folder");
  refused({"--sheet", ""}, 2, "--sheet is empty, expected a .png file");
  refused({"--sheet", "pictures/"}, 2, "pictures/ is a folder, expected a .png file");
  refused({"-o", "s.png", "--sheet", "s.png"}, 2,
          "--output and --sheet would both be written to s.png");
  refused({"-o", "s", "--sheet", "./x/../s.png"}, 2,
          "--output and --sheet would both be written to ./x/../s.png");
  refused({"-o", "p/", "--sheet", "p/0-a.png"}, 2,
          "--output and --sheet would both be written to p/0-a.png");
  refused({"-o", "file/new/cat.png"}, 3, "cannot create the folder file/new: file is a file");
  refused({"-o", "cat.jpg"}, 2, "cat.jpg would be a .jpg file, and pictures are written as .png");
  EXPECT_EQ(entries(), (std::vector<std::string>{"file", file}));
}

TEST_F(Generate, AConvertedFolderCannotBeToldHowToConvert) {
  converted("sd1", "model");
  for (const auto& [option, value] : {std::pair{"--precision", "fp16"},
                                      {"--precision", "fp32"},
                                      {"--family", "sd2"},
                                      {"--prediction", "v"}}) {
    expect_error(draw("model", {"-p", "a", option, value}), 2,
                 fmt::format("error: {0} is for a checkpoint's conversion, and model is converted "
                             "already\nhint: sinter convert CHECKPOINT OUT {0} {1} makes such a "
                             "folder\n",
                             option, value));
  }
}

TEST_F(Generate, TriesThePlaceOfThePictureFirst) {
  converted("sd1", "model");
  std::ofstream(folder() / "file") << "precious";
  expect_error(draw("model", {"-p", "a", "-o", "file/cat.png"}), 3,
               "error: cannot create the folder file: file is a file\n");
  expect_error(draw("model", {"-p", "a", "-o", "/proc/cat.png"}), 3,
               "error: cannot create /proc/cat.png: No such file or directory\n");
  expect_error(draw("model", {"-p", "a", "-o", "cat.jpg"}), 2,
               "error: cat.jpg would be a .jpg file, and pictures are written as .png\n");
}

TEST_F(Generate, NeedsEveryPart) {
  converted("sd1", "part", {"--components", "unet"});
  expect_error(
      draw("part", {"-p", "a"}), 3,
      "error: part has no text_encoder/model.onnx and no vae_decoder/model.onnx; a picture "
      "needs text encoder, unet and vae_decoder\n"
      "hint: sinter convert '" +
          (folder() / "sd1.safetensors").string() + "' 'part' makes them all\n");
  converted("sdxl-base", "half", {"--components", "text_encoder_2,unet,vae_decoder"});
  expect_error(draw("half", {"-p", "a", "-o", "a.png"}), 3,
               "error: the text encoders give states of width 128, but the unet takes 192\n"
               "hint: the folder lacks a text encoder, or has one of another model\n");
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
