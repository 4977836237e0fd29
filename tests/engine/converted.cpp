#include "tests/engine/converted.h"

#include <array>

#include "sinter/convert/convert.h"
#include "sinter/plan/make_plan.h"
#include "sinter/plan/wanted.h"
#include "tools/synth/synth.h"

namespace sinter::engine {
namespace {

namespace fs = std::filesystem;

const fs::path kLibraries = SINTER_TENSORRT_LIBRARIES;
const fs::path kScratch = SINTER_TEST_SCRATCH;

}  // namespace

bool library_here() {
  return compiled_in(Flavour::kTensorRtRtx) && fs::exists(kLibraries / "libtensorrt_rtx.so.1");
}

std::unique_ptr<Backend> open_library() {
  return open_backend(find_library(Flavour::kTensorRtRtx, std::array{kLibraries}));
}

Converted convert_stand_in(const fs::path& manifest, const std::string& name,
                           const std::string& size) {
  const fs::path root = kScratch / ("build_" + name);
  fs::remove_all(root);
  fs::create_directories(root);
  synth::write_stand_in(manifest, root / "checkpoint.safetensors");
  convert::ConvertOptions options;
  options.precision = convert::Precision::kF16;
  Converted converted{root / "out", {}};
  std::vector<fs::path> models;
  for (const convert::GraphReport& graph :
       convert::convert(root / "checkpoint.safetensors", converted.folder, options).graphs)
    models.push_back(converted.folder / graph.folder / "model.onnx");
  plan::Sizes sizes;
  sizes.tokens = {77, 77, 77};
  plan::set_pictures(sizes, plan::picture_sizes(size), plan::Margin::kNarrow);
  converted.plan = plan::make_plan(plan::load_graphs(models), sizes, 0);
  return converted;
}

EngineOrder order_for(const Converted& converted, const plan::GraphPlan& graph) {
  EngineOrder order{
      .folder = converted.folder, .record = {}, .workspace_bytes = 0, .progress = {}, .now = [] {
        return 0.0;
      }};
  order.record.graph = graph.folder;
  order.record.profile = graph.profile;
  order.record.sizes = converted.plan.sizes;
  order.record.architectures = {{8, 9}};
  return order;
}

}  // namespace sinter::engine
