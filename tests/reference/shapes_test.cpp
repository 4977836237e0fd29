// The really trained model in models/: token ids, text encoder, first UNet step, final latents and
// pictures against diffusers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <tuple>

#include "sinter/base/png_file.h"
#include "sinter/convert/convert.h"
#include "sinter/graph/onnx_model.h"
#include "sinter/pipeline/conditioning.h"
#include "sinter/pipeline/control/controlnet.h"
#include "sinter/pipeline/folder.h"
#include "sinter/pipeline/pipeline.h"
#include "sinter/pipeline/tokenizer.h"
#include "sinter/verify/comparison.h"
#include "sinter/verify/reference_case.h"
#include "sinter/verify/verify.h"

namespace sinter {
namespace {
namespace fs = std::filesystem;

const fs::path kData = fs::path(SINTER_TEST_DATA) / "shapes";

struct Prompt {
  const char* tag;
  const char* text;
  std::uint64_t seed;
};

constexpr std::array kPrompts{
    Prompt{"p0", "a red circle on a blue background", 1234},
    Prompt{"p1", "a big yellow star on a black background", 42},
    Prompt{"p2", "a green heart and a purple square on a white background", 7}};

std::vector<convert::ExtraFile> tokenizer_files(const arch::Model&) {
  std::vector<convert::ExtraFile> files;
  for (pipeline::VocabularyFile& file : pipeline::Tokenizer::clip().files())
    files.push_back({"tokenizer/" + file.name, std::move(file.text)});
  return files;
}

/// The model converted once for all tests, in float32.
const fs::path& converted() {
  static const fs::path folder = [] {
    const fs::path out = fs::path(SINTER_TEST_SCRATCH) / "shapes";
    fs::remove_all(out);
    convert::ConvertOptions options;
    options.precision = convert::Precision::kF32;
    options.extra_files = tokenizer_files;
    convert::convert(fs::path(SINTER_SOURCE_DIR) / "models/shapes-sd1.safetensors", out, options);
    return out;
  }();
  return folder;
}

TEST(ShapesModel, TokenIdsAreExact) {
  const verify::ReferenceCase drawings =
      verify::ReferenceCase::load(kData / "drawings.safetensors");
  for (const Prompt& prompt : kPrompts) {
    const pipeline::TokenWindow window = pipeline::Tokenizer::clip().windows(prompt.text).front();
    EXPECT_TRUE(
        std::ranges::equal(window, drawings.inputs.at(std::string(prompt.tag) + "_ids").ints()))
        << prompt.text;
  }
}

class ShapesGraphs : public testing::TestWithParam<std::tuple<std::string, runtime::Engine>> {};

TEST_P(ShapesGraphs, AgreeWithDiffusers) {
  const auto& [component, engine] = GetParam();
  const verify::ReferenceCase reference =
      verify::ReferenceCase::load(kData / (component + ".safetensors"));
  for (const verify::GraphResult& graph :
       verify::verify_folder(converted(), reference, {.engine = engine})) {
    EXPECT_LE(graph.tolerance.max, 1e-4);
    for (const verify::OutputResult& output : graph.outputs) {
      EXPECT_TRUE(output.passed) << output.output << ": " << output.comparison.max_relative
                                 << " of scale at " << to_string(output.comparison.worst_index);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ShapesGraphs,
                         testing::Combine(testing::Values("text_encoder", "unet", "vae"),
                                          testing::Values(runtime::Engine::kOpenVino,
                                                          runtime::Engine::kOnnxRuntime)),
                         [](const auto& parameters) {
                           return std::get<0>(parameters.param) + "_" +
                                  std::string(engine_name(std::get<1>(parameters.param)));
                         });

class ShapesPictures : public testing::TestWithParam<std::tuple<Prompt, std::string>> {};

TEST_P(ShapesPictures, AreThoseOfDiffusers) {
  const auto& [prompt, sampler] = GetParam();
  const std::string name = fmt::format("{}_{}", prompt.tag, sampler);
  pipeline::Pipeline pipeline = pipeline::Pipeline::open(
      converted(), {.sessions = pipeline::engine_sessions(runtime::Engine::kOpenVino)});
  pipeline::GenerateOptions options;
  options.prompt = prompt.text;
  options.sampler = sampler;
  options.steps = 20;
  options.guidance_scale = 4;
  options.seed = prompt.seed;
  options.width = options.height = 128;
  const pipeline::GenerateResult result = pipeline.generate(options);

  const verify::ReferenceCase drawings =
      verify::ReferenceCase::load(kData / "drawings.safetensors");
  const verify::Comparison latents = verify::compare(drawings.outputs.at(name), result.latents);
  EXPECT_TRUE(latents.same_shape());
  EXPECT_LE(latents.max_relative, 1e-3) << "at " << to_string(latents.worst_index);

  const Image expected = read_png(kData / (name + ".png"));
  const Image& drawn = result.pictures.front().image;
  ASSERT_EQ(drawn.pixels.size(), expected.pixels.size());
  double difference = 0;
  for (std::size_t i = 0; i < drawn.pixels.size(); ++i)
    difference += std::abs(int{drawn.pixels[i]} - int{expected.pixels[i]});
  EXPECT_LE(difference / static_cast<double>(drawn.pixels.size()), 2.0);
}

INSTANTIATE_TEST_SUITE_P(All, ShapesPictures,
                         testing::Combine(testing::ValuesIn(kPrompts),
                                          testing::Values("ddim", "euler")),
                         [](const auto& parameters) {
                           return fmt::format("{}_{}", std::get<0>(parameters.param).tag,
                                              std::get<1>(parameters.param));
                         });

constexpr const char* kControlPrompt = "an orange star on a white background";
constexpr int kControlSeed = 11;

/// The model with its ControlNet, converted once, in float32.
const fs::path& controlled() {
  static const fs::path folder = [] {
    const fs::path models = fs::path(SINTER_SOURCE_DIR) / "models";
    const fs::path out = fs::path(SINTER_TEST_SCRATCH) / "shapes-controlled";
    fs::remove_all(out);
    convert::ConvertOptions options;
    options.precision = convert::Precision::kF32;
    options.extra_files = tokenizer_files;
    options.controlnets = {models / "shapes-controlnet.safetensors"};
    convert::convert(models / "shapes-sd1.safetensors", out, options);
    return out;
  }();
  return folder;
}

pipeline::ControlOptions outline() {
  return {.picture = read_png(kData / "control_hint.png"), .canny = {}};
}

void expect_near(const Tensor& expected, const Tensor& found, double most, const char* what) {
  const verify::Comparison c = verify::compare(expected, found);
  EXPECT_TRUE(c.same_shape()) << what;
  EXPECT_LE(c.max_relative, most) << what << " at " << to_string(c.worst_index);
}

class ShapesControlNet : public testing::TestWithParam<runtime::Engine> {};

TEST_P(ShapesControlNet, FirstStepIsThatOfDiffusers) {
  const pipeline::SessionFactory open = pipeline::engine_sessions(GetParam());
  const pipeline::PipelineFolder folder = pipeline::read_pipeline_folder(controlled());
  const verify::ReferenceCase reference =
      verify::ReferenceCase::load(kData / "control.safetensors");
  const auto text = open(folder.text_encoders.front().model);
  const std::string prompt = kControlPrompt;
  runtime::TensorMap inputs{{"sample", reference.inputs.at("sample")},
                            {"timestep", Tensor({1}, std::vector<float>{951.0f})}};
  inputs.emplace(
      "encoder_hidden_states",
      pipeline::encode_texts(folder.text_encoders.front(), *text, {&prompt, 1}, 1, false).states);
  ASSERT_EQ(folder.controlnets.size(), 1u);
  const auto session = open(folder.controlnets.front().model);
  pipeline::ControlNet controlnet("controlnet", *session, outline(),
                                  pipeline::control_map(outline(), 128, 128));
  runtime::TensorMap residuals;
  controlnet.add_residuals(inputs, 1, residuals);
  EXPECT_EQ(residuals.size(), 13u);
  expect_near(reference.outputs.at("down0"), residuals.at("down_block_additional_residual_0"), 1e-4,
              "the first residual");
  expect_near(reference.outputs.at("mid"), residuals.at("mid_block_additional_residual"), 1e-4,
              "the middle's residual");
  inputs.merge(residuals);
  const auto unet = open(folder.unet);
  expect_near(reference.outputs.at("unet_cond"), unet->run(inputs).at("out_sample"), 1e-4,
              "the UNet's output");
}

TEST_P(ShapesControlNet, PictureIsThatOfDiffusers) {
  pipeline::Pipeline pipeline =
      pipeline::Pipeline::open(controlled(), {.sessions = pipeline::engine_sessions(GetParam())});
  pipeline::GenerateOptions options;
  options.prompt = kControlPrompt;
  options.sampler = "ddim";
  options.guidance_scale = 4;
  options.seed = kControlSeed;
  options.width = options.height = 128;
  options.controls = {outline()};
  const pipeline::GenerateResult result = pipeline.generate(options);
  const verify::ReferenceCase reference =
      verify::ReferenceCase::load(kData / "control.safetensors");
  expect_near(reference.outputs.at("ddim_latents"), result.latents, 1e-3, "the latents");
  const Image expected = read_png(kData / "control_ddim.png");
  const Image& drawn = result.pictures.front().image;
  ASSERT_EQ(drawn.pixels.size(), expected.pixels.size());
  double difference = 0;
  for (std::size_t i = 0; i < drawn.pixels.size(); ++i)
    difference += std::abs(int{drawn.pixels[i]} - int{expected.pixels[i]});
  EXPECT_LE(difference / static_cast<double>(drawn.pixels.size()), 0.02) << "in 255ths, mean";
}

INSTANTIATE_TEST_SUITE_P(All, ShapesControlNet,
                         testing::Values(runtime::Engine::kOpenVino, runtime::Engine::kOnnxRuntime),
                         [](const auto& parameters) {
                           return std::string(engine_name(parameters.param));
                         });

}  // namespace
}  // namespace sinter
