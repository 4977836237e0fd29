// Engines of every family, built here without a GPU, and builds that do not come to their end.
#include "sinter/engine/build_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/base/hash.h"
#include "sinter/engine/engine_program.h"
#include "sinter/engine/layer_report.h"
#include "sinter/engine/refit_weights.h"
#include "tests/engine/converted.h"

namespace sinter::engine {
namespace {

namespace fs = std::filesystem;

fs::path tiny(const std::string& name) {
  return fs::path(SINTER_TEST_DATA) / "manifests/tiny" / (name + ".json");
}

class Families : public testing::TestWithParam<const char*> {};

TEST_P(Families, GiveEnginesWithoutAGpu) {
  if (!library_here()) GTEST_SKIP() << "no TensorRT-RTX here (scripts/setup --retry)";
  const Converted converted = convert_stand_in(tiny(GetParam()), GetParam(), "64x64");
  const auto backend = open_library();
  for (const plan::GraphPlan& graph : converted.plan.graphs) {
    double last = 0;
    EngineOrder order = order_for(converted, graph);
    order.progress = [&](const BuildProgress& progress) {
      EXPECT_GE(progress.fraction, last);
      last = progress.fraction;
      return true;
    };
    const auto [record, warnings] = build_engine(*backend, order);
    EXPECT_EQ(warnings, std::vector<std::string>()) << graph.folder;
    EXPECT_GT(last, 0.1) << graph.folder;
    EXPECT_GT(record.memory.activations.value_or(0), 0U) << graph.folder;
    EXPECT_EQ(record.version, backend->version());
    const MappedFile file(converted.folder / kEnginesFolder / record.file);
    EXPECT_EQ(file.bytes().size(), record.bytes);
    EXPECT_EQ(sha256_hex(file.bytes()), record.sha256);
    const EngineLayers layers = layers_of_engine(read_engine_program(file.bytes()));
    EXPECT_TRUE(layers.known) << graph.folder;
  }
  EXPECT_EQ(read_manifest(converted.folder / kEnginesFolder).size(), converted.plan.graphs.size());
  fs::remove_all(converted.folder.parent_path());
}

INSTANTIATE_TEST_SUITE_P(Tiny, Families,
                         testing::Values("sd1", "sd1-inpainting", "sd2", "sdxl-base",
                                         "sdxl-refiner", "controlnet-sd1", "taesd"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

class BuildEngine : public testing::Test {
 protected:
  void SetUp() override {
    if (!library_here()) GTEST_SKIP() << "no TensorRT-RTX here (scripts/setup --retry)";
    converted = convert_stand_in(
        tiny("taesd"), testing::UnitTest::GetInstance()->current_test_info()->name(), "64x64");
    backend = open_library();
  }
  void TearDown() override {
    if (!converted.folder.empty()) fs::remove_all(converted.folder.parent_path());
  }

  /// What a build ends with; nothing may be left of it.
  std::string refusal(const EngineOrder& order) {
    std::string words = "built";
    try {
      build_engine(*backend, order);
    } catch (const std::exception& error) {
      words = error.what();
    }
    EXPECT_FALSE(fs::exists(converted.folder / kEnginesFolder));
    return words;
  }

  Converted converted;
  std::unique_ptr<Backend> backend;
};

TEST_F(BuildEngine, StoppedLeavesNothing) {
  EngineOrder order = order_for(converted, converted.plan.graphs.front());
  order.progress = [](const BuildProgress&) { return false; };
  EXPECT_EQ(refusal(order), "stopped");
}

TEST_F(BuildEngine, RefusesAnArchitectureThatTheLibraryDoesNotKnow) {
  EngineOrder order = order_for(converted, converted.plan.graphs.front());
  order.record.architectures = {{9, 0}};
  EXPECT_TRUE(refusal(order).starts_with("TensorRT-RTX builds no engines for sm90\n"));
}

TEST_F(BuildEngine, RefusesAProfileOutOfOrder) {
  EngineOrder order = order_for(converted, converted.plan.graphs.front());
  std::swap(order.record.profile.inputs[0].min, order.record.profile.inputs[0].max);
  order.record.profile.inputs[0].min[2] = 999;
  EXPECT_NE(refusal(order).find("999"), std::string::npos);
}

TEST_F(BuildEngine, RefusesACorruptGraph) {
  const plan::GraphPlan& graph = converted.plan.graphs.front();
  const fs::path model = converted.folder / graph.folder / "model.onnx";
  fs::resize_file(model, fs::file_size(model) / 2);
  EXPECT_NE(refusal(order_for(converted, graph)).find("model.onnx"), std::string::npos);
}

TEST_F(BuildEngine, TakesEveryWeightByItsInitializersName) {
  for (const plan::GraphPlan& graph : converted.plan.graphs) {
    const fs::path path = converted.folder / graph.folder / "model.onnx";
    const std::vector<std::string> names = backend->parse(path).weights;
    const graph::OnnxModel model = graph::OnnxModel::load(path);
    const std::vector<RefitWeight> weights = refit_weights(model);
    EXPECT_FALSE(weights.empty());
    for (const RefitWeight& weight : weights)
      EXPECT_TRUE(std::ranges::binary_search(names, weight.name)) << weight.name;
    require_same_weights(weights, weights);
    EXPECT_THROW(require_same_weights(weights, std::span(weights).subspan(1)), Error);
  }
}

}  // namespace
}  // namespace sinter::engine
