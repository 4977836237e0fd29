// The really trained model in models/: token ids, text encoder, first UNet step, final latents and
// pictures against diffusers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>

#include "shapes_model.h"
#include "sinter/pipeline/pipeline.h"
#include "sinter/pipeline/tokenizer.h"
#include "sinter/verify/comparison.h"
#include "sinter/verify/reference_case.h"
#include "sinter/verify/verify.h"

namespace sinter {
namespace {
using shapes::kData;
namespace fs = std::filesystem;

struct Prompt {
  const char* tag;
  const char* text;
  std::uint64_t seed;
};

constexpr std::array kPrompts{
    Prompt{"p0", "a red circle on a blue background", 1234},
    Prompt{"p1", "a big yellow star on a black background", 42},
    Prompt{"p2", "a green heart and a purple square on a white background", 7}};

/// The model converted once for all tests.
const fs::path& converted() {
  static const fs::path folder = shapes::convert_model("shapes", shapes::request());
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
  const pipeline::GenerateResult result =
      pipeline.generate(shapes::drawing(prompt.text, sampler, prompt.seed));

  const verify::ReferenceCase drawings =
      verify::ReferenceCase::load(kData / "drawings.safetensors");
  shapes::expect_near(drawings.outputs.at(name), result.latents, 1e-3, "the latents");
  shapes::expect_same_picture(kData / (name + ".png"), result.pictures.front().image);
}

INSTANTIATE_TEST_SUITE_P(All, ShapesPictures,
                         testing::Combine(testing::ValuesIn(kPrompts),
                                          testing::Values("ddim", "euler")),
                         [](const auto& parameters) {
                           return fmt::format("{}_{}", std::get<0>(parameters.param).tag,
                                              std::get<1>(parameters.param));
                         });

}  // namespace
}  // namespace sinter
