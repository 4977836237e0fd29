#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "sinter/base/error.h"
#include "sinter/runtime/session.h"
#include "tests/runtime/model_builder.h"

namespace sinter::runtime {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

class Gpu : public testing::TestWithParam<Engine> {};

// Needs a GPU. SINTER_GPU_ONNXRUNTIME names a build of ONNX Runtime with GPU providers,
// SINTER_PROVIDER_LIBRARY a provider library.
TEST_P(Gpu, RunsAGraphAndSaysWhereItsNodesAre) {
  const TestFolder folder("sinter-gpu");
  ModelBuilder builder;
  builder.input("x", DType::kF32, {"n", 64}).output("y", DType::kF32, {"n", 64});
  builder.initializer("w", Tensor({64, 64}, std::vector<float>(64 * 64, 0.125f)));
  builder.node("MatMul", "a/MatMul", {"x", "w"}).value("a/MatMul", DType::kF32, {"n", 64});
  builder.node("Relu", "a/Relu", {"a/MatMul"}, "y");
  const auto path = builder.save(folder / "unet/model.onnx");
  const graph::OnnxModel model = graph::OnnxModel::load(path);
  const SessionOptions options{.onnxruntime_library = variable("SINTER_GPU_ONNXRUNTIME"),
                               .provider_library = variable("SINTER_PROVIDER_LIBRARY"),
                               .engine_cache = GetParam() == Engine::kCuda ? "" : folder / "cache",
                               .shape_ranges = {{"unet", {{"x", {1, 64}, {2, 64}, {4, 64}}}}}};
  std::unique_ptr<Session> session;
  try {
    session = open_session(GetParam(), model, options);
  } catch (const Error& error) {
    GTEST_SKIP() << error.message();
  }
  const TensorMap results = session->run({{"x", Tensor({2, 64}, std::vector<float>(128, 1))}});
  EXPECT_NEAR(results.at("y").floats()[5], 8, 0.02);
  const Placement placement = session->placement();
  ASSERT_TRUE(placement.known);
  EXPECT_TRUE(placement.fallen.empty());
}

INSTANTIATE_TEST_SUITE_P(Engines, Gpu,
                         testing::Values(Engine::kCuda, Engine::kTensorRt, Engine::kTensorRtRtx),
                         [](const auto& engine) {
                           std::string name(engine_name(engine.param));
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace sinter::runtime
