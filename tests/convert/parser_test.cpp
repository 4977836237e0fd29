// TensorRT-RTX's own parser over every family's graphs: it needs no GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "sinter/convert/convert.h"
#include "sinter/engine/onnx_parse.h"
#include "tests/convert/stand_in.h"

namespace sinter::convert {
namespace {
namespace fs = std::filesystem;

class TensorRtParser : public testing::TestWithParam<std::tuple<std::string, Precision>> {};

TEST_P(TensorRtParser, AcceptsEveryGraph) {
  const fs::path libraries = SINTER_TENSORRT_LIBRARIES;
  if (!engine::tensorrt_compiled_in() || !fs::exists(libraries / "libtensorrt_rtx.so.1")) {
    GTEST_SKIP() << "TensorRT-RTX is not here (scripts/setup --retry says how to get it)";
  }
  const auto& [manifest, precision] = GetParam();
  const TemporaryFolder folder("parser-" + fs::path(manifest).filename().string() +
                               std::string(precision_name(precision)));
  ConvertOptions options;
  options.precision = precision;
  options.vae_precision = precision;
  const ConvertReport report =
      convert(stand_in(folder.path(), manifest), folder.path() / "out", options);
  for (const GraphReport& graph : report.graphs) {
    const engine::ParseReport parsed =
        engine::parse_onnx(folder.path() / "out" / graph.folder / "model.onnx", libraries);
    EXPECT_TRUE(parsed.accepted) << graph.folder;
    for (const engine::ParserError& error : parsed.errors)
      ADD_FAILURE() << graph.folder << " " << error.node << " " << error.op << ": "
                    << error.message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Families, TensorRtParser,
    testing::Combine(testing::Values("tiny/sd1", "tiny/sd1-inpainting", "tiny/sd2",
                                     "tiny/sdxl-base", "tiny/sdxl-refiner"),
                     testing::Values(Precision::kF32, Precision::kF16, Precision::kBF16)),
    [](const auto& parameters) {
      std::string name = fs::path(std::get<0>(parameters.param)).filename().string() + "_" +
                         std::string(precision_name(std::get<1>(parameters.param)));
      std::ranges::replace(name, '-', '_');
      return name;
    });

}  // namespace
}  // namespace sinter::convert
