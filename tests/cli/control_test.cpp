// ControlNets through convert, verify and generate.
#include <algorithm>
#include <string>
#include <vector>

#include "sinter/base/png_file.h"
#include "tests/cli/generate_test.h"

namespace sinter::cli {
namespace {
namespace fs = std::filesystem;

class Control : public Generate {
 protected:
  void SetUp() override {
    // A white square on black: edges in the middle, wherever it is cut.
    Image hint{96, 64, 3, std::vector<std::uint8_t>(96 * 64 * 3, 0)};
    for (int y = 16; y < 48; ++y)
      for (int x = 32; x < 64; ++x)
        for (int c = 0; c < 3; ++c)
          hint.pixels[static_cast<std::size_t>((y * 96 + x) * 3 + c)] = 255;
    write_png(folder() / "hint.png", hint);
  }

  /// Draws one.png (or another) with guidance off, for speed.
  Ended control(const std::string& model, std::vector<std::string> more,
                const std::string& out = "one.png") const {
    for (const char* word : {"-p", "a cat", "-g", "1", "-o"}) more.emplace_back(word);
    more.push_back(out);
    return draw(model, std::move(more));
  }
};

TEST_F(Control, ACheckpointIsDrawnWithAControlNetsFile) {
  const std::string file = stand_in("sd1");
  const std::string net = stand_in("controlnet-sd1");
  const Ended ended = control(file, {"--controlnet", net, "--control-image", "hint.png",
                                     "--control-preprocess", "canny", "--control-map", "map"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, "one.png\nmap.png\n");
  EXPECT_NE(ended.err.find("converted controlnet-sd1.safetensors into "), std::string::npos);
  const Image map = read_png(folder() / "map.png");
  EXPECT_EQ(std::pair(map.width, map.height), std::pair(64, 64)) << "the middle of 96x64";
  EXPECT_EQ(std::ranges::count(map.pixels, 255) / 3, 4 * 32 - 4) << "the outline of the square";
  const std::string parameters = read_png_texts(folder() / "one.png").at(0).second;
  EXPECT_NE(parameters.find("Module: canny, Model: controlnet-sd1, Weight: 1"), std::string::npos)
      << parameters;
  ASSERT_EQ(control(file, {}, "plain.png").status, 0);
  EXPECT_NE(read_png(folder() / "plain.png"), read_png(folder() / "one.png"));
  const Ended again = control(file, {"--controlnet", net, "--control-image", "hint.png"}, "2.png");
  EXPECT_EQ(again.err.find("converted"), std::string::npos) << again.err;
}

TEST_F(Control, AFolderDrawsWithItsOwnControlNetOrWithout) {
  const std::string net = stand_in("controlnet-sd1");
  converted("sd1", "model", {"--controlnet", net});
  EXPECT_TRUE(fs::exists(folder() / "model/controlnet/model.onnx"));
  const Ended one = control("model", {"--control-image", "hint.png"});
  EXPECT_EQ(one.status, 0) << one.err;
  ASSERT_EQ(
      control("model", {"--control-image", "hint.png", "--control-scale", "0"}, "zero.png").status,
      0);
  ASSERT_EQ(control("model", {}, "without.png").status, 0);
  EXPECT_EQ(read_png(folder() / "zero.png"), read_png(folder() / "without.png"));
  EXPECT_NE(read_png(folder() / "one.png"), read_png(folder() / "without.png"));
  // Twice at half the strength is once.
  const Ended twice = control("model",
                              {"--controlnet", "model", "--controlnet", "model", "--control-image",
                               "hint.png", "--control-scale", "0.5"},
                              "twice.png");
  ASSERT_EQ(twice.status, 0) << twice.err;
  const Image once = read_png(folder() / "one.png");
  const Image sum = read_png(folder() / "twice.png");
  for (std::size_t i = 0; i < once.pixels.size(); ++i)
    EXPECT_NEAR(int{once.pixels[i]}, int{sum.pixels[i]}, 1) << i;
}

TEST_F(Control, AControlNetConvertsAlone) {
  const std::string net = stand_in("controlnet-sd1");
  const nlohmann::json report = json({"convert", net, "out"});
  ASSERT_EQ(report.at("graphs").size(), 1u);
  EXPECT_EQ(report.at("graphs").at(0).at("folder"), "controlnet");
  const nlohmann::json seen = json({"inspect", net});
  EXPECT_EQ(seen.at("contents"), "controlnet");
  EXPECT_EQ(seen.at("convertible"), true);
  EXPECT_EQ(seen.at("components").at(0).at("name"), "controlnet");
}

TEST_F(Control, OptionsPairWithTheControlNets) {
  const auto refused = [&](std::vector<std::string> more, const std::string& words) {
    expect_error(control("model", std::move(more)), 2, words);
  };
  converted("sd1", "model", {"--controlnet", stand_in("controlnet-sd1")});
  refused({"--controlnet", "model"},
          "error: --controlnet without --control-image\n"
          "hint: --control-image names the picture that the ControlNet follows\n");
  refused({"--control-scale", "1"}, "error: --control-scale without --control-image\n");
  refused({"--control-map", "map.png"}, "error: --control-map without --control-image\n");
  refused({"--control-image", "hint.png", "--control-scale", "1", "--control-scale", "2"},
          "error: 2 values of --control-scale for 1 ControlNets\n"
          "hint: give one for all, or one each in the order of the ControlNets\n");
  refused({"--control-image", "hint.png", "--control-preprocess", "depth"},
          "error: --control-preprocess is 'depth', expected none, canny or canny:LOW:HIGH, for "
          "example canny:100:200\nhint: other maps are given as pictures\n");
  refused({"--control-image", "hint.png", "--control-start", "0.8", "--control-end", "0.2"},
          "error: the control is from 0.8 to 0.2 of the steps, expected 0 to 1, the start before "
          "the end\n");
}

TEST_F(Control, AUNetWithoutResidualsIsRefusedWithTheCommand) {
  converted("sd1", "model");
  const Ended ended =
      control("model", {"--controlnet", stand_in("controlnet-sd1"), "--control-image", "hint.png"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_NE(ended.err.find("error: the UNet of model has no inputs for a ControlNet\nhint: sinter "
                           "convert '" +
                           (folder() / "sd1.safetensors").string() +
                           "' 'model' --controlnet-inputs makes it with them\n"),
            std::string::npos)
      << ended.err;
}

TEST_F(Control, AnotherFamilyIsRefusedWithBothWidths) {
  const std::string net = stand_in("controlnet-sd1");
  const std::string xl = stand_in("sdxl-base");
  const Ended converting = sinter({"convert", xl, "out", "--controlnet", net});
  expect_error(converting, 3,
               "error: the ControlNet reads a context 64 wide, the UNet one of 192\n"
               "  while looking at controlnet\n"
               "hint: a ControlNet works with models of the family that it was made for; sinter "
               "inspect says which that is\n");
  const Ended drawing = control(xl, {"--controlnet", net, "--control-image", "hint.png"});
  EXPECT_EQ(drawing.status, 3) << drawing.err;
  EXPECT_NE(drawing.err.find("error: controlnet-sd1 reads a context 64 wide, the UNet one of 192\n"
                             "hint: a ControlNet works with models of the family that it was made "
                             "for\n"),
            std::string::npos)
      << drawing.err;
}

TEST_F(Control, WhatIsNoControlNetIsNamed) {
  const std::string file = stand_in("sd1");
  expect_error(sinter({"convert", file, "out", "--controlnet", file}), 4,
               "error: 'sd1.safetensors' is a Stable Diffusion 1.x checkpoint, expected a "
               "ControlNet\n");
  write_keys("lora.safetensors", {{"lora_unet_a.lora_down.weight", {4, 768}},
                                  {"lora_unet_a.lora_up.weight", {320, 4}}});
  const Ended lora = sinter({"convert", file, "out", "--controlnet", "lora.safetensors"});
  EXPECT_EQ(lora.status, 4);
  EXPECT_NE(lora.err.find("'lora.safetensors' is a LoRA in kohya's layout"), std::string::npos)
      << lora.err;
}

}  // namespace
}  // namespace sinter::cli
