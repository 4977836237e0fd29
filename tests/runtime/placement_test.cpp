#include "sinter/runtime/placement.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "sinter/base/error.h"
#include "sinter/base/shared_library.h"
#include "sinter/runtime/provider_files.h"
#include "tests/runtime/model_builder.h"

namespace sinter::runtime {
namespace {

graph::OnnxModel parsed(const ModelBuilder& builder) {
  const std::string bytes = builder.bytes();
  return graph::OnnxModel::parse(std::as_bytes(std::span(bytes)), "unet/model.onnx");
}

// y = relu(x * x), and the shape of the product.
ModelBuilder squares() {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {"n", 4}).output("y", DType::kF32, {"n", 4});
  builder.node("Mul", "a.conv/Mul", {"x", "x"}).value("a.conv/Mul", DType::kF32, {"n", 4});
  builder.node("Shape", "a/Shape", {"a.conv/Mul"}).value("a/Shape", DType::kI64, {2});
  builder.node("Relu", "b/Relu", {"a.conv/Mul"});
  builder.value("b/Relu", DType::kF32, {"n", 4});
  builder.node("Reshape", "c/Reshape", {"b/Relu", "a/Shape"}, "y");
  return builder;
}

TEST(Placement, EveryNodeOnTheCpuIsListedWithItsCause) {
  const std::vector<PlacedNode> nodes{
      {"CUDAExecutionProvider", "a.conv/Mul", "Mul"},
      {"CPUExecutionProvider", "a/Shape", "Shape"},
      {"CPUExecutionProvider", "b/Relu", "Relu"},
      {"CPUExecutionProvider", "c/Reshape", "Reshape"},
      {"CPUExecutionProvider", "d", "Erf"},
  };
  const std::vector<std::string> messages{
      "CUDA kernel not found in registries for Op type: Relu node name: b/Relu",
      "Some nodes were not assigned to the preferred execution providers: b/Relu2",
      "Node(s) placed on [CPUExecutionProvider]: c/Reshape d",
      "cannot take c/Reshape: reason 7",
  };
  const Placement placement = placement_of(nodes, parsed(squares()), messages);
  EXPECT_TRUE(placement.known);
  ASSERT_EQ(placement.providers.size(), 2u);
  EXPECT_EQ(placement.providers[0].provider, "CPUExecutionProvider");
  EXPECT_EQ(placement.providers[0].nodes, 4u);
  EXPECT_EQ(placement.providers[1].nodes, 1u);
  std::string words;
  for (const FallenNode& node : placement.fallen)
    words += fmt::format("{} ({}): {}\n", node.name, node.op, node.cause);
  EXPECT_EQ(words,
            "a/Shape (Shape): it computes with whole numbers, which is left to the CPU\n"
            "b/Relu (Relu): the provider has no kernel for Relu of these types\n"
            "c/Reshape (Reshape): the engine says: cannot take c/Reshape: reason 7\n"
            "d (Erf): the provider did not take it, and does not say why\n");
}

TEST(Placement, OnnxRuntimeItselfSaysWhereItsNodesAre) {
  const auto model = parsed(squares());
  const auto session = open_session(Engine::kOnnxRuntime, model, {.record_placement = true});
  const Placement placement = session->placement();
  ASSERT_TRUE(placement.known);
  ASSERT_EQ(placement.providers.size(), 1u);
  EXPECT_EQ(placement.providers[0].provider, "CPUExecutionProvider");
  EXPECT_GE(placement.providers[0].nodes, 2u);  // it may have left nodes out
  EXPECT_TRUE(placement.fallen.empty());        // on the CPU by choice
  EXPECT_FALSE(open_session(Engine::kOnnxRuntime, model)->placement().known);
}

TEST(ProviderFiles, SayWhatBringsALibrary) {
  EXPECT_EQ(bringer_of("libcudnn.so.9"), "cuDNN");
  EXPECT_EQ(bringer_of("libcublasLt.so.12"), "CUDA's cuBLAS");
  EXPECT_EQ(bringer_of("libtensorrt_rtx.so.1"), "TensorRT-RTX");
  EXPECT_EQ(bringer_of("libz.so.1"), "");
}

bool has_driver() {
  try {
    const SharedLibrary driver("libcuda.so.1");
    return true;
  } catch (const Error&) {
    return false;
  }
}

TEST(GpuEngines, SayEverythingThatIsMissing) {
  if (has_driver()) GTEST_SKIP() << "this machine has an NVIDIA driver";
  const auto model = parsed(squares());
  const std::filesystem::path library = default_onnxruntime_library();
  struct Row {
    Engine engine;
    const char* title;
    const char* file;
    const char* package;
    const char* option;
  };
  for (const Row& row :
       {Row{Engine::kCuda, "CUDA", "libonnxruntime_providers_cuda.so", "onnxruntime-gpu",
            "--onnxruntime"},
        Row{Engine::kTensorRt, "TensorRT", "libonnxruntime_providers_tensorrt.so",
            "onnxruntime-gpu", "--onnxruntime"},
        Row{Engine::kTensorRtRtx, "TensorRT-RTX", "libonnxruntime_providers_nv_tensorrt_rtx.so",
            "onnxruntime-ep-nv-tensorrt-rtx", "--provider-library"}}) {
    try {
      open_session(row.engine, model);
      FAIL() << row.title;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kRuntime);
      EXPECT_EQ(error.message(),
                fmt::format("{} cannot run here: there is no NVIDIA driver (libcuda.so.1 cannot be "
                            "loaded); ONNX Runtime 1.32.0 at {} is a build without {} (there is no "
                            "{} beside it)",
                            row.title, library.string(), row.title, row.file));
      EXPECT_EQ(error.hint(),
                fmt::format("the package {} has the libraries ({} names them), beside an NVIDIA "
                            "driver; --engine openvino runs on the CPU",
                            row.package, row.option));
    }
  }
}

TEST(GpuEngines, ALibraryThatIsNotThereIsNamed) {
  if (has_driver()) GTEST_SKIP() << "this machine has an NVIDIA driver";
  const auto model = parsed(squares());
  try {
    open_session(Engine::kTensorRtRtx, model, {.provider_library = "/nowhere/libep.so"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(),
              "TensorRT-RTX cannot run here: there is no NVIDIA driver (libcuda.so.1 cannot be "
              "loaded); there is no /nowhere/libep.so");
  }
}

// The provider library that SINTER_PROVIDER_LIBRARY names, whatever it is.
TEST(ProviderLibrary, RunsTheGraph) {
  const char* library = std::getenv("SINTER_PROVIDER_LIBRARY");
  if (library == nullptr) GTEST_SKIP() << "SINTER_PROVIDER_LIBRARY names no provider library";
  const auto model = parsed(squares());
  std::unique_ptr<Session> session;
  try {
    session = open_session(Engine::kOnnxRuntime, model, {.provider_library = library});
  } catch (const Error& error) {
    GTEST_SKIP() << error.message();
  }
  const TensorMap results = session->run({{"x", Tensor({1, 4}, std::vector<float>{1, -2, 3, 0})}});
  EXPECT_EQ(results.at("y").floats()[1], 4);
  EXPECT_TRUE(session->placement().known);
}

}  // namespace
}  // namespace sinter::runtime
