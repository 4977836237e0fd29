// Canny against OpenCV and resampling against Pillow (tests/golden/make_control_golden.py), and
// ControlNets beside a UNet of fakes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/base/png_file.h"
#include "sinter/pipeline/control/canny.h"
#include "sinter/pipeline/control/controlnet.h"
#include "sinter/pipeline/control/resample.h"
#include "sinter/pipeline/pipeline.h"
#include "tests/pipeline/fake_pipeline.h"

namespace sinter::pipeline {
namespace {
namespace fs = std::filesystem;

Image golden(const std::string& name) {
  return read_png(fs::path(SINTER_TEST_DATA) / "pipeline/control" / (name + ".png"));
}

TEST(Canny, FindsTheEdgesThatOpenCvFinds) {
  for (const auto& [low, high] : {std::pair{100, 200}, {60, 90}, {0, 0}}) {
    const Image edges = canny_edges(golden("picture"), {.low = low, .high = high});
    const Image expected = golden(fmt::format("canny-{}-{}", low, high));
    ASSERT_EQ(edges.pixels.size(), expected.pixels.size());
    int different = 0;
    for (std::size_t i = 0; i < edges.pixels.size(); ++i)
      different += edges.pixels[i] != expected.pixels[i];
    EXPECT_EQ(different, 0) << low << " " << high;
  }
}

TEST(Canny, LeavesAFlatPictureBlack) {
  const Image flat{1, 1, 3, {9, 9, 9}};
  EXPECT_EQ(canny_edges(flat, {.low = 0, .high = 0}).pixels, (std::vector<std::uint8_t>{0, 0, 0}));
}

TEST(Canny, RefusesThresholdsOutOfOrder) {
  try {
    canny_edges(golden("picture"), {.low = 200, .high = 100});
    FAIL() << "took them";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_EQ(error.message(),
              "the thresholds of edges are 200 and 100, expected two numbers from 0 up, the lower "
              "one first");
  }
}

TEST(Fitted, IsWhatPillowMakes) {
  for (const auto& [width, height] : {std::pair{64, 48}, {180, 140}, {40, 64}, {128, 32}}) {
    const Image fit = fitted(golden("picture"), width, height);
    const Image expected = golden(fmt::format("fit-{}x{}", width, height));
    ASSERT_EQ(std::pair(fit.width, fit.height), std::pair(width, height));
    int most = 0;
    std::size_t different = 0;
    for (std::size_t i = 0; i < fit.pixels.size(); ++i) {
      const int difference = std::abs(int{fit.pixels[i]} - int{expected.pixels[i]});
      most = std::max(most, difference);
      different += difference != 0;
    }
    // Pillow's weights are fixed-point numbers.
    EXPECT_LE(most, 1) << width << "x" << height;
    EXPECT_LE(different, fit.pixels.size() / 500) << width << "x" << height;
  }
}

TEST(Fitted, LeavesAPictureOfThatSizeAsItIs) {
  EXPECT_EQ(fitted(golden("picture"), 90, 70), golden("picture"));
}

TEST(Fitted, DropsAlpha) {
  const Image image{1, 1, 4, {10, 20, 30, 0}};
  EXPECT_EQ(fitted(image, 1, 1).pixels, (std::vector<std::uint8_t>{10, 20, 30}));
}

std::string steps_of(double start, double end, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += is_controlled({.picture = {}, .canny = {}, .start = start, .end = end}, i, count) ? "x"
                                                                                              : ".";
  return text;
}

/// keep = 1 - (i / n < start or (i + 1) / n > end), in Python's float64.
TEST(ControlledSteps, AreThoseOfDiffusers) {
  EXPECT_EQ(steps_of(0, 1, 5), "xxxxx");
  EXPECT_EQ(steps_of(0.3, 1, 5), "..xxx");
  EXPECT_EQ(steps_of(0, 0.5, 5), "xx...");
  EXPECT_EQ(steps_of(0.2, 0.6, 10), "..xxxx....");
}

constexpr const char* kContext = "encoder_hidden_states";

/// The fake pipeline with a ControlNet of two residuals: the mean of the map, and 1.
class Controlled : public testing::Test {
 protected:
  void SetUp() override {
    FakeGraph& unet = fake.graphs["unet"];
    for (const char* name : {"down_block_additional_residual_0", "mid_block_additional_residual"}) {
      graph::ValueDeclaration residual = declare(name, {-1, 2, -1, -1});
      residual.symbols = {"batch", "", "height/2", "width/2"};
      unet.inputs.push_back(residual);
    }
    add("controlnet", 4);
  }

  void add(const std::string& name, std::int64_t context) {
    fake.write(name + "/model.onnx", "");
    fake.graphs[name] = {
        {declare("sample", {-1, 4, -1, -1}), declare("timestep", {-1}),
         declare(kContext, {-1, -1, context}), declare("controlnet_cond", {-1, 3, -1, -1})},
        {declare("down_block_res_sample_0", {-1, 2, -1, -1}),
         declare("mid_block_res_sample", {-1, 2, -1, -1})},
        [](const runtime::TensorMap& inputs) {
          const Shape& sample = inputs.at("sample").shape();
          const Tensor& map = inputs.at("controlnet_cond");
          Tensor down(DType::kF32, {sample[0], 2, (sample[2] + 1) / 2, (sample[3] + 1) / 2});
          std::ranges::fill(down.floats(), map.floats().front());
          Tensor mid = down;
          std::ranges::fill(mid.floats(), 1.0f);
          return runtime::TensorMap{{"down_block_res_sample_0", down},
                                    {"mid_block_res_sample", mid}};
        }};
  }

  Pipeline open() { return Pipeline::open(fake.root, {.sessions = fake.sessions()}); }

  static ControlOptions told(std::uint8_t grey, double scale = 1) {
    return {.picture = Image{8, 8, 3, std::vector<std::uint8_t>(192, grey)},
            .canny = {},
            .scale = scale};
  }

  float residual(std::size_t step, const char* name = "down_block_additional_residual_0") {
    return fake.graphs["unet"].asked.at(step).at(name).floats().front();
  }

  FakePipeline fake{std::string("sinter_control_") +
                    testing::UnitTest::GetInstance()->current_test_info()->name()};
};

TEST_F(Controlled, GivesTheUNetScaledResidualsForBothHalves) {
  Pipeline pipeline = open();
  const GenerateResult result = pipeline.generate(
      {.prompt = "a cat", .steps = 2, .width = 24, .height = 16, .controls = {told(51, 0.5)}});
  const runtime::TensorMap& asked = fake.graphs["controlnet"].asked.front();
  EXPECT_EQ(asked.at("controlnet_cond").shape(), (Shape{2, 3, 16, 24}));
  EXPECT_FLOAT_EQ(asked.at("controlnet_cond").floats().front(), 0.2f);
  const runtime::TensorMap& unet = fake.graphs["unet"].asked.front();
  EXPECT_EQ(unet.at("down_block_additional_residual_0").shape(), (Shape{2, 2, 1, 2}));
  EXPECT_FLOAT_EQ(residual(0), 0.1f);
  EXPECT_FLOAT_EQ(residual(0, "mid_block_additional_residual"), 0.5f);
  EXPECT_TRUE(std::ranges::equal(unet.at("sample").floats(), asked.at("sample").floats()));
  ASSERT_EQ(result.control_maps.size(), 1u);
  EXPECT_EQ(result.control_maps.front().width, 24);
  EXPECT_NE(
      result.pictures.front().parameters.find(
          "ControlNet 0: \"Module: none, Model: controlnet, Weight: 0.5, Resize Mode: Crop and "
          "Resize, Guidance Start: 0, Guidance End: 1\""),
      std::string::npos)
      << result.pictures.front().parameters;
}

TEST_F(Controlled, SumsSeveralInTheirOrder) {
  add("controlnet_1", 4);
  Pipeline pipeline = open();
  pipeline.generate({.prompt = "a cat", .steps = 1, .controls = {told(51), told(102, 2)}});
  EXPECT_FLOAT_EQ(residual(0), 0.2f + 2 * 0.4f);
  EXPECT_FLOAT_EQ(residual(0, "mid_block_additional_residual"), 3.0f);
}

TEST_F(Controlled, RestsOutsideItsSteps) {
  Pipeline pipeline = open();
  ControlOptions control = told(255);
  control.start = 0.5;
  control.end = 0.75;
  pipeline.generate({.prompt = "a cat", .steps = 4, .controls = {control}});
  EXPECT_EQ(fake.graphs["controlnet"].asked.size(), 1u);
  for (const auto& [step, expected] : {std::pair{0, 0.0f}, {1, 0.0f}, {2, 1.0f}, {3, 0.0f}})
    EXPECT_FLOAT_EQ(residual(static_cast<std::size_t>(step)), expected) << step;
}

TEST_F(Controlled, IsDrawnWithZerosWhereNothingIsTold) {
  Pipeline pipeline = open();
  pipeline.generate({.prompt = "a cat", .steps = 1, .width = 24, .height = 24});
  EXPECT_EQ(fake.graphs["controlnet"].opened, 0);
  const Tensor& zeros = fake.graphs["unet"].asked.front().at("mid_block_additional_residual");
  EXPECT_EQ(zeros.shape(), (Shape{2, 2, 2, 2})) << "three cells are two at half the size";
  EXPECT_TRUE(std::ranges::all_of(zeros.floats(), [](float value) { return value == 0; }));
}

/// The message of drawing with these controls.
std::string refusal(Pipeline pipeline, std::vector<ControlOptions> controls) {
  try {
    pipeline.generate({.prompt = "a cat", .steps = 1, .controls = std::move(controls)});
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

TEST_F(Controlled, RefusesAnotherFamilyBeforeAGraphIsOpened) {
  fake.write("unet/config.json", R"({"sample_size": 2, "cross_attention_dim": 768})");
  fake.write("controlnet/config.json", R"({"cross_attention_dim": 2048})");
  EXPECT_EQ(refusal(open(), {told(0)}),
            "controlnet reads a context 2048 wide, the UNet one of 768");
  EXPECT_EQ(fake.graphs["text_encoder"].opened, 0);
  fake.write("unet/config.json", R"({"sample_size": 2, "block_out_channels": [320, 640]})");
  fake.write("controlnet/config.json", R"({"block_out_channels": [320, 640, 1280]})");
  EXPECT_EQ(refusal(open(), {told(0)}),
            "the levels of controlnet are 320, 640, 1280 wide, those of the UNet 320, 640");
}

TEST_F(Controlled, RefusesAnotherFamilyByTheGraphsAlone) {
  add("controlnet", 8);
  EXPECT_EQ(refusal(open(), {told(0)}), "controlnet reads a context 8 wide, the UNet one of 4");
}

TEST_F(Controlled, RefusesAUNetWithoutResiduals) {
  fake.write("sinter.json", R"({"sinter": "0.1.0", "family": "sd15", "io": "optimum"})");
  EXPECT_EQ(refusal(open(), {told(0)}),
            "the UNet of " + fake.root.string() + " has no inputs for a ControlNet");
  fake.write("sinter.json", R"({"io": "optimum"})");
  fake.graphs["unet"].inputs.resize(3);
  EXPECT_EQ(refusal(open(), {told(0)}),
            "the UNet has no input 'down_block_additional_residual_0' for a residual of the "
            "ControlNet");
}

TEST_F(Controlled, RefusesOtherResiduals) {
  fake.graphs["unet"].inputs.back().shape[1] = 3;
  EXPECT_EQ(refusal(open(), {told(0)}),
            "the UNet's 'mid_block_additional_residual' has 3 channels, the ControlNet gives 2");
  fake.graphs["unet"].inputs.push_back(
      declare("down_block_additional_residual_1", {-1, 2, -1, -1}));
  fake.graphs["unet"].inputs[4].shape[1] = 2;
  EXPECT_EQ(refusal(open(), {told(0)}),
            "the ControlNet gives no residual for 'down_block_additional_residual_1' of the UNet");
}

TEST_F(Controlled, RefusesWhatCannotBeTold) {
  EXPECT_EQ(refusal(open(), {told(0), told(0)}),
            "2 control pictures, expected 1: one for each ControlNet");
  ControlOptions control = told(0);
  control.start = 0.5;
  control.end = 0.5;
  EXPECT_EQ(refusal(open(), {control}),
            "the control is from 0.5 to 0.5 of the steps, expected 0 to 1, the start before the "
            "end");
}

}  // namespace
}  // namespace sinter::pipeline
