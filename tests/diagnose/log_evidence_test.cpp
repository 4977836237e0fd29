// What belongs to a fault and what stands beside it.
#include <gtest/gtest.h>

#include <algorithm>

#include "sinter/diagnose/log/diagnosis.h"
#include "sinter/diagnose/log/rule.h"

namespace sinter::diagnose::log {
namespace {

TEST(LogEvidence, AMessageDoesNotCiteTheStackOfAnotherFault) {
  const Diagnosis diagnosis = diagnose_log(
      "[E:onnxruntime:Default, provider_bridge_ort.cc:1480] Failed to load library "
      "libonnxruntime_providers_cuda.so with error: libcudnn.so.8: cannot open shared object "
      "file: No such file or directory\n"
      "step 3/30\n"
      "Traceback (most recent call last):\n"
      "  File \"draw.py\", line 41, in <module>\n"
      "    picture.save(\"/data/1.png\")\n"
      "OSError: [Errno 28] No space left on device\n");
  ASSERT_EQ(diagnosis.faults.size(), 2U);
  const auto& evidence = diagnosis.faults[0].evidence;
  EXPECT_TRUE(std::all_of(evidence.begin(), evidence.end(),
                          [](const Evidence& line) { return line.line == 1; }));
  EXPECT_EQ(diagnosis.faults[1].domain, Domain::kFilesystem);
}

TEST(LogEvidence, OnlyAKernelsAssertionIsTheGpus) {
  const Diagnosis host = diagnose_log(
      "convert: graph.cpp:120: void fold(): Assertion `inputs.size() == 2' failed.\n"
      "Aborted (core dumped)\n");
  ASSERT_FALSE(host.faults.empty());
  EXPECT_NE(host.faults[0].cause, "code-device-assert");
  const Diagnosis kernel = diagnose_log(
      "../aten/src/ATen/native/cuda/Loss.cu:250: nll_loss_forward: block: [0,0,0], thread: "
      "[3,0,0] Assertion `t >= 0 && t < n_classes` failed.\n");
  ASSERT_EQ(kernel.faults.size(), 1U);
  EXPECT_EQ(kernel.faults[0].cause, "code-device-assert");
}

TEST(LogEvidence, AConversionThatWasLeftOutIsNoFault) {
  const Diagnosis diagnosis = diagnose_log(
      "[torch.onnx] Translate the graph into ONNX... done\n"
      "Failed to convert the model to the target version 16 using the ONNX C API. The model was "
      "not modified\n"
      "Traceback (most recent call last):\n"
      "  File \"/v/lib/python3.11/site-packages/onnx/version_converter.py\", line 39, in "
      "convert_version\n"
      "    converted_model_str = C.convert_version(model_str, target_version)\n"
      "RuntimeError: adapters/split_13_18.h:20: adapt: Assertion `node->hasAttribute(k)` failed\n"
      "[torch.onnx] Optimize the ONNX graph... done\n");
  EXPECT_TRUE(diagnosis.faults.empty());
}

TEST(LogEvidence, ACrashWhileAnEngineIsBuiltIsTheBuilders) {
  const Diagnosis diagnosis = diagnose_log(
      "Building TensorRT engine for onnx/vae.onnx: engine/vae.plan\n"
      "Segmentation fault (core dumped)\n");
  ASSERT_EQ(diagnosis.faults.size(), 1U);
  EXPECT_EQ(diagnosis.faults[0].component, "builder");
}

TEST(LogEvidence, ANodeOfTheDecoderIsTheVaes) {
  const Diagnosis diagnosis = diagnose_log(
      "RuntimeException: [ONNXRuntimeError] : 6 : RUNTIME_EXCEPTION : Non-zero status code "
      "returned while running Conv node. Name:'/decoder/up_blocks.2/resnets.1/conv2/Conv' Status "
      "Message: Failed to allocate memory for requested buffer of size 1073741824\n");
  ASSERT_EQ(diagnosis.faults.size(), 1U);
  EXPECT_EQ(diagnosis.faults[0].component, "vae");
}

TEST(LogEvidence, TheListBelowAHeadingIsPartOfTheRoot) {
  const Diagnosis diagnosis = diagnose_log(
      "RuntimeError: Error(s) in loading state_dict for LoRANetwork:\n"
      "    size mismatch for lora_down.weight: copying a param with shape torch.Size([16, 2048]) "
      "from checkpoint, the shape in current model is torch.Size([16, 768]).\n");
  ASSERT_EQ(diagnosis.faults.size(), 1U);
  EXPECT_NE(diagnosis.faults[0].root_exception.find("LoRANetwork: size mismatch for lora_down"),
            std::string::npos);
}

TEST(LogEvidence, AMessageInTheMiddleOfALineKeepsItsOwnClass) {
  // Without a class in the log there is none in the root.
  const Diagnosis diagnosis = diagnose_log(
      "Error occurred when executing VAEDecode: Input type (torch.cuda.HalfTensor) and weight "
      "type (torch.HalfTensor) should be the same\n");
  ASSERT_EQ(diagnosis.faults.size(), 1U);
  EXPECT_TRUE(diagnosis.faults[0].root_exception.starts_with("Input type"));
}

TEST(LogEvidence, AWorkflowThatIsRefusedNamesTheInput) {
  const Diagnosis diagnosis = diagnose_log(
      "ERROR:root:Failed to validate prompt for output 7:\n"
      "ERROR:root:* VAELoader 5:\n"
      "ERROR:root:  - Value not in list: vae_name: 'kl.safetensors' not in ['x.safetensors']\n"
      "ERROR:root:Output will be ignored\n");
  ASSERT_EQ(diagnosis.faults.size(), 1U);
  EXPECT_EQ(diagnosis.faults[0].cause, "code-workflow");
  EXPECT_EQ(diagnosis.faults[0].argument, "vae_name");
}

TEST(LogEvidence, TypesWithoutAnArgumentTellTheMixtureAlone) {
  const Diagnosis diagnosis =
      diagnose_log("RuntimeError: expected type torch.cuda.HalfTensor but got torch.HalfTensor\n");
  ASSERT_EQ(diagnosis.faults.size(), 1U);
  EXPECT_EQ(diagnosis.faults[0].cause, "device-mixed");
  const Diagnosis same = diagnose_log(
      "RuntimeError: Input type (torch.cuda.FloatTensor) and weight type (CUDABFloat16Type) should "
      "be the same\n");
  ASSERT_EQ(same.faults.size(), 1U);
  EXPECT_EQ(same.faults[0].domain, Domain::kPrecision);
}

}  // namespace
}  // namespace sinter::diagnose::log
