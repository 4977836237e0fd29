#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "sinter/convert/convert.h"
#include "sinter/graph/onnx_model.h"
#include "sinter/runtime/session.h"
#include "sinter/verify/verify.h"
#include "tests/convert/stand_in.h"

namespace sinter::precision {
namespace {

namespace fs = std::filesystem;
using convert::Precision;

class MixedPrecision : public testing::TestWithParam<const char*> {};

// Every module of every network can be the one that is left in float32, whatever its neighbours
// are: the graph's own operators and the engine's type inference both refuse mixed operands.
TEST_P(MixedPrecision, AnyModulesOfAnyFamilyCanStayInFloat32) {
  std::string name = GetParam();
  const convert::TemporaryFolder folder("mixed-" + name);
  const fs::path checkpoint =
      convert::stand_in(folder.path(), fmt::format("tiny/{}", name), DType::kF32);
  convert::ConvertOptions options;
  options.vae_precision = Precision::kF16;
  options.controlnet_inputs = name == "sd1";
  const fs::path out = folder.path() / "out";
  const convert::ConvertReport half = convert::convert(checkpoint, out, options);
  std::map<std::string, std::vector<std::string>> modules;
  for (const convert::GraphReport& graph : half.graphs) {
    std::set<std::string> known;
    for (const graph::NodeSummary& node :
         graph::OnnxModel::load(out / graph.folder / "model.onnx").nodes()) {
      const std::string module = node.name.substr(0, node.name.rfind('/'));
      if (known.insert(module).second) modules[graph.folder].push_back(module);
    }
  }
  options.precision = options.vae_precision = Precision::kAuto;
  for (const std::size_t parity : {0u, 1u, 2u}) {
    for (const auto& [graph, names] : modules) {
      convert::GraphPolicy& policy = options.policy[graph] = {};
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (parity == 2 || i % 2 == parity)
          policy.exact.push_back({names[i], convert::ExactReason::kOverflow, names[i], 1e6});
      }
    }
    convert::convert(checkpoint, out, options);
    for (const fs::path& path : verify::models_in(out)) {
      const graph::OnnxModel model = graph::OnnxModel::load(path);
      EXPECT_NO_THROW(runtime::open_session(runtime::Engine::kOnnxRuntime, model)) << path;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, MixedPrecision,
                         testing::Values("sd1", "sd2", "sdxl-base", "sdxl-refiner",
                                         "controlnet-sd1", "taesd"),
                         [](const auto& family) {
                           std::string name = family.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace sinter::precision
