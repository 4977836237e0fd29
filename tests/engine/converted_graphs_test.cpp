// TensorRT-RTX's parser must take every graph that a conversion writes, of every family, at every
// precision.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <ostream>
#include <string>

#include "sinter/convert/convert.h"
#include "sinter/engine/backend.h"
#include "tools/synth/synth.h"

namespace sinter::engine {
namespace {

namespace fs = std::filesystem;
using convert::Precision;
using convert::WeightStorage;

const fs::path kLibraries = SINTER_TENSORRT_LIBRARIES;
const fs::path kScratch =
    SINTER_TEST_SCRATCH;  // on the disk of the build: hard links work within it

struct Variant {
  const char* manifest;  // of a narrow network of that family
  Precision precision;
  WeightStorage weights = WeightStorage::kLink;
  bool controlnet_inputs = false;
};

std::string variant_name(const Variant& variant) {
  std::string name = variant.manifest + std::string("_") +
                     std::string(precision_name(variant.precision)) +
                     (variant.weights == WeightStorage::kLink ? "_linked" : "_packed") +
                     (variant.controlnet_inputs ? "_controlnet" : "");
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::ostream& operator<<(std::ostream& out, const Variant& variant) {
  return out << variant_name(variant);
}

class ConvertedGraphs : public testing::TestWithParam<Variant> {};

TEST_P(ConvertedGraphs, AreAcceptedByTensorRt) {
  if (!compiled_in(Flavour::kTensorRtRtx) || !fs::exists(kLibraries / "libtensorrt_rtx.so.1")) {
    GTEST_SKIP() << "no TensorRT-RTX here (scripts/setup --retry says what is missing)";
  }
  const fs::path folder = kScratch / ("converted_" + variant_name(GetParam()));
  fs::remove_all(folder);
  fs::create_directories(folder);
  synth::write_stand_in(
      fs::path(SINTER_TEST_DATA) / "manifests/tiny" / (GetParam().manifest + std::string(".json")),
      folder / "checkpoint.safetensors");
  convert::ConvertOptions options;
  options.precision = GetParam().precision;
  options.vae_precision = GetParam().precision;
  options.weights = GetParam().weights;
  options.controlnet_inputs = GetParam().controlnet_inputs;
  const convert::ConvertReport converted =
      convert::convert(folder / "checkpoint.safetensors", folder / "out", options);
  ASSERT_FALSE(converted.graphs.empty());

  const auto backend = open_backend(find_library(Flavour::kTensorRtRtx, std::array{kLibraries}));
  for (const convert::GraphReport& graph : converted.graphs) {
    const ParseReport report = backend->parse(folder / "out" / graph.folder / "model.onnx");
    EXPECT_TRUE(report.accepted) << graph.folder;
    for (const ParserError& error : report.errors) {
      ADD_FAILURE() << graph.folder << ", " << error.op << " '" << error.node
                    << "': " << error.message;
    }
    for (const std::string& warning : report.warnings)
      ADD_FAILURE() << graph.folder << ": " << warning;
  }
  fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(
    Tiny, ConvertedGraphs,
    testing::Values(Variant{"sd1", Precision::kF32}, Variant{"sd1", Precision::kF16},
                    Variant{"sd1", Precision::kBF16},
                    Variant{"sd1", Precision::kF16, WeightStorage::kPack},
                    Variant{"sd1", Precision::kF16, WeightStorage::kLink, true},
                    Variant{"controlnet-sd1", Precision::kF32},
                    Variant{"controlnet-sd1", Precision::kF16},
                    Variant{"controlnet-sd1", Precision::kBF16},
                    Variant{"controlnet-sdxl-small", Precision::kF16},
                    Variant{"sd1-inpainting", Precision::kF32},
                    Variant{"sd1-inpainting", Precision::kF16}, Variant{"sd2", Precision::kF32},
                    Variant{"sd2", Precision::kF16}, Variant{"sdxl-base", Precision::kF32},
                    Variant{"sdxl-base", Precision::kF16}, Variant{"sdxl-refiner", Precision::kF32},
                    Variant{"sdxl-refiner", Precision::kF16}, Variant{"taesd", Precision::kF32},
                    Variant{"taesd", Precision::kF16}, Variant{"taesd", Precision::kBF16}),
    [](const auto& test) { return variant_name(test.param); });

}  // namespace
}  // namespace sinter::engine
