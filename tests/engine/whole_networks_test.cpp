// Engines of the whole networks, gigabytes each: `make test-full`.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "sinter/base/file.h"
#include "sinter/engine/engine_program.h"
#include "sinter/engine/layer_report.h"
#include "tests/engine/converted.h"

namespace sinter::engine {
namespace {

namespace fs = std::filesystem;

class WholeNetworks : public testing::TestWithParam<const char*> {};

TEST_P(WholeNetworks, GiveEnginesWithEveryAttentionFused) {
  const char* full = std::getenv("SINTER_FULL");
  if (full == nullptr || std::string_view(full) != "1")
    GTEST_SKIP() << "builds gigabytes; SINTER_FULL=1 asks for it";
  if (!library_here()) GTEST_SKIP() << "no TensorRT-RTX here (scripts/setup --retry)";
  const Converted converted = convert_stand_in(
      fs::path(SINTER_TEST_DATA) / "manifests" / (GetParam() + std::string(".json")), GetParam(),
      std::string_view(GetParam()) == "sd15" ? "512x512" : "1024x1024");
  const auto backend = open_library();
  for (const plan::GraphPlan& graph : converted.plan.graphs) {
    const auto [record, warnings] = build_engine(*backend, order_for(converted, graph));
    EXPECT_EQ(warnings, std::vector<std::string>()) << graph.folder;
    const fs::path file = converted.folder / kEnginesFolder / record.file;
    if (graph.folder == "unet") {
      const EngineLayers layers = layers_of_engine(read_engine_program(MappedFile(file).bytes()));
      const GraphLayers expected =
          layers_of_graph(graph::OnnxModel::load(converted.folder / "unet/model.onnx"));
      EXPECT_EQ(layers.fused_attentions, expected.attentions);
      EXPECT_EQ(expected.self, expected.cross);
      // At this profile PyTorch's fp16 export of SD1.5 takes 97.0 MB (bench/README.md).
      if (std::string_view(GetParam()) == "sd15") {
        EXPECT_LE(record.memory.scratch.value_or(~0ULL), 96'974'336U);
      }
    }
    fs::remove(file);
  }
  fs::remove_all(converted.folder.parent_path());
}

INSTANTIATE_TEST_SUITE_P(Full, WholeNetworks, testing::Values("sd15", "sdxl-base"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace sinter::engine
