// What needs a GPU: building engines that can be refitted, refitting them, asking them.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "sinter/base/file.h"
#include "sinter/base/host.h"
#include "sinter/convert/convert.h"
#include "sinter/engine/build_engine.h"
#include "sinter/plan/make_plan.h"
#include "sinter/plan/wanted.h"
#include "tools/synth/synth.h"

namespace sinter::engine {
namespace {

namespace fs = std::filesystem;

TEST(OnAGpu, AStrippedEngineTakesItsWeightsAndTellsItsLayers) {
  const fs::path libraries = SINTER_TENSORRT_LIBRARIES;
  if (!compiled_in(Flavour::kTensorRtRtx) || !fs::exists(libraries / "libtensorrt_rtx.so.1"))
    GTEST_SKIP() << "no TensorRT-RTX here (scripts/setup --retry)";
  if (!path_exists("/proc/driver/nvidia/version"))
    GTEST_SKIP() << "no NVIDIA driver here: TensorRT-RTX 1.7 builds and loads refittable engines "
                    "only on a GPU";
  const char* capability = std::getenv("SINTER_GPU");
  if (capability == nullptr) GTEST_SKIP() << "SINTER_GPU=sm89 (for example) names the GPU";
  const fs::path root = fs::path(SINTER_TEST_SCRATCH) / "gpu";
  fs::remove_all(root);
  fs::create_directories(root);
  synth::write_stand_in(fs::path(SINTER_TEST_DATA) / "manifests/tiny/taesd.json",
                        root / "checkpoint.safetensors");
  convert::ConvertOptions options;
  const auto graphs = convert::convert(root / "checkpoint.safetensors", root / "out", options);
  const fs::path model = root / "out" / graphs.graphs.front().folder / "model.onnx";
  plan::Sizes sizes;
  plan::set_pictures(sizes, plan::picture_sizes("64x64"), plan::Margin::kNarrow);
  const plan::Plan plan = plan::make_plan(plan::load_graphs({model}), sizes, 0);
  const auto backend = open_backend(find_library(Flavour::kTensorRtRtx, std::array{libraries}));
  EngineOrder order{
      .folder = root / "out", .record = {}, .workspace_bytes = 0, .progress = {}, .now = [] {
        return 0.0;
      }};
  order.record.graph = plan.graphs.front().folder;
  order.record.profile = plan.graphs.front().profile;
  order.record.sizes = plan.sizes;
  order.record.architectures = {plan::gpu_named(capability).capability};
  order.record.refit = Refit::kAny;
  order.record.stripped = true;
  const EngineRecord stripped = build_engine(*backend, order).first;
  const EngineRecord whole = refit_engine(*backend, root / "out", stripped, order);
  EXPECT_GT(whole.bytes, stripped.bytes);
  EXPECT_NE(backend->inspect(MappedFile(root / "out" / kEnginesFolder / whole.file).bytes())
                .find("Layers"),
            std::string::npos);
  fs::remove_all(root);
}

}  // namespace
}  // namespace sinter::engine
