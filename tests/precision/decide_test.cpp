#include "sinter/precision/decide.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "sinter/base/error.h"
#include "sinter/pipeline/pipeline.h"
#include "sinter/pipeline/vocabulary.h"
#include "sinter/precision/judge.h"
#include "tests/convert/stand_in.h"
#include "tests/precision/scaled_stand_in.h"

namespace sinter::precision {
namespace {

namespace fs = std::filesystem;
using convert::ConvertOptions;
using convert::Precision;

constexpr const char* kFarConvolution = "first_stage_model.decoder.up.2.block.1.conv1";
constexpr const char* kFarModule = "decoder.up_blocks.1.resnets.1.conv1";
constexpr const char* kNormBehind = "decoder.up_blocks.1.resnets.1.norm2";

/// A conversion that can be drawn from.
ConvertOptions request(Precision precision) {
  ConvertOptions options;
  options.precision = options.vae_precision = precision;
  options.extra_files = [](const arch::Model&) {
    std::vector<convert::ExtraFile> files;
    for (pipeline::VocabularyFile& file : vocabulary_files(pipeline::clip_vocabulary()))
      files.push_back({"tokenizer/" + file.name, std::move(file.text)});
    return files;
  };
  return options;
}

Calibration small() {
  Calibration calibration;
  calibration.prompts = {"a cat"};
  calibration.steps = 2;
  calibration.width = calibration.height = 64;
  return calibration;
}

/// Draws as a GPU would, where every value is of the type that the graph says.
pipeline::GenerateResult draw(const fs::path& folder) {
  pipeline::GenerateOptions options;
  options.prompt = "a cat";
  options.steps = 1;
  options.width = options.height = 64;
  return pipeline::Pipeline::open(folder, {.sessions = pipeline::engine_sessions(
                                               runtime::Engine::kOnnxRuntime,
                                               {.arithmetic = runtime::Arithmetic::kRounded})})
      .generate(options);
}

nlohmann::json graphs_of(const fs::path& folder) {
  std::ifstream stream(folder / "sinter.json");
  return nlohmann::json::parse(stream)["graphs"];
}

TEST(Decide, AnOverflowingDecoderGetsAPictureAndOnlyTheModulesInNeedAreFloat32) {
  const convert::TemporaryFolder folder("decide-overflow");
  const fs::path checkpoint = convert::stand_in(folder.path(), "tiny/sd1", DType::kF32);
  for (const char* part : {".weight", ".bias"})
    scale_tensor(checkpoint, std::string(kFarConvolution) + part, 60000);

  convert::convert(checkpoint, folder.path() / "half", request(Precision::kF16));
  try {
    draw(folder.path() / "half");
    FAIL() << "float16 throughout gives a picture";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "the output of vae_decoder holds NaN");
  }

  fs::create_directories(folder.path() / "scratch");
  const Decision decision = decide(
      checkpoint, folder.path() / "scratch", [] { return request(Precision::kAuto); }, small());
  EXPECT_TRUE(decision.warnings.empty());
  ASSERT_EQ(decision.policy.size(), 4u);
  for (const auto& [graph, policy] : decision.policy) {
    EXPECT_EQ(policy.exact.size(), graph == "vae_decoder" ? 2u : 0u) << graph;
    ASSERT_TRUE(policy.decided.has_value()) << graph;
    EXPECT_TRUE(policy.decided->within) << graph << " " << policy.decided->max;
    EXPECT_EQ(policy.inputs, graph == "vae_encoder" ? "pictures" : "prompts") << graph;
  }
  const convert::GraphPolicy& decoder = decision.policy.at("vae_decoder");
  EXPECT_EQ(decoder.exact[0].module, kFarModule);
  EXPECT_EQ(decoder.exact[0].reason, convert::ExactReason::kOverflow);
  EXPECT_GT(decoder.exact[0].largest, kLargestHalf);
  EXPECT_EQ(decoder.exact[1].module, kNormBehind);
  EXPECT_EQ(decoder.exact[1].reason, convert::ExactReason::kReads);
  EXPECT_GT(decoder.plain->non_finite, 0);

  ConvertOptions decided = request(Precision::kAuto);
  decided.policy = decision.policy;
  const fs::path out = folder.path() / "decided";
  convert::convert(checkpoint, out, decided);
  EXPECT_EQ(draw(out).pictures.size(), 1u);

  const nlohmann::json record = graphs_of(out)["vae_decoder"];
  EXPECT_EQ(record["compute"], "float16");
  EXPECT_EQ(record["precision"]["policy"], "auto");
  EXPECT_EQ(record["precision"]["float32"][0]["module"], kFarModule);
  EXPECT_EQ(record["precision"]["float32"][0]["reason"], "overflow");
  EXPECT_EQ(record["precision"]["as_decided"]["non_finite"], 0);
  EXPECT_GT(record["precision"]["float16_throughout"]["non_finite"], 0);
}

TEST(Decide, APartThatCannotDrawIsRunOnGeneratedInputs) {
  const convert::TemporaryFolder folder("decide-taesd");
  const fs::path checkpoint = convert::stand_in(folder.path(), "tiny/taesd", DType::kF32);
  fs::create_directories(folder.path() / "scratch");
  const Decision decision = decide(
      checkpoint, folder.path() / "scratch",
      [] {
        ConvertOptions options;
        options.vae_precision = Precision::kAuto;
        return options;
      },
      small());
  ASSERT_EQ(decision.policy.size(), 2u);
  EXPECT_EQ(decision.policy.at("vae_decoder").inputs, "generated");
  EXPECT_TRUE(decision.policy.at("vae_decoder").exact.empty());
}

}  // namespace
}  // namespace sinter::precision
