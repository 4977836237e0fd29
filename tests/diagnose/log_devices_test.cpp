// The headline: every wording of a device mismatch since PyTorch 0.4, which side is wrong, and what
// it is not.
#include <gtest/gtest.h>

#include "sinter/diagnose/log/devices.h"

namespace sinter::diagnose::log {
namespace {

struct Wording {
  const char* text;
  const char* cause;
  const char* operation;
  const char* argument;
  Side side;
};

constexpr char kTwo[] =
    "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, ";

Fault only_fault(const std::string& text) {
  const Diagnosis diagnosis = diagnose_log(text);
  EXPECT_EQ(diagnosis.faults.size(), 1U) << text;
  return diagnosis.faults.empty() ? Fault{} : diagnosis.faults.front();
}

void expect_read(const std::string& text, const Wording& row) {
  const Fault fault = only_fault(text);
  EXPECT_EQ(fault.domain, Domain::kDeviceMismatch) << text;
  EXPECT_EQ(fault.cause, row.cause) << text;
  EXPECT_EQ(fault.operation, row.operation) << text;
  EXPECT_EQ(fault.argument, row.argument) << text;
  EXPECT_EQ(fault.side, row.side) << text;
}

TEST(LogDevices, TheSecondDeviceBelongsToTheArgument) {
  constexpr Wording kRows[] = {
      {"cuda:0 and cpu! (when checking argument for argument weight in method "
       "wrapper_CUDA___slow_conv2d_forward)",
       "device-weights-left", "conv2d", "weight", Side::kModel},
      {"cpu and cuda:0! (when checking argument for argument weight in method "
       "wrapper___slow_conv2d_forward)",
       "device-input-left", "conv2d", "weight", Side::kData},
      {"cpu and cuda:0! (when checking argument for argument mat1 in method wrapper_CUDA_addmm)",
       "device-weights-left", "addmm", "mat1", Side::kModel},
      {"cuda:0 and cpu! (when checking argument for argument mat2 in method wrapper_CUDA_mm)",
       "device-weights-left", "mm", "mat2", Side::kModel},
      {"cuda:0 and cpu! (when checking argument for argument mat1 in method wrapper_addmm)",
       "device-input-left", "addmm", "mat1", Side::kData},
      {"cpu and cuda:0! (when checking argument for argument index in method "
       "wrapper_CUDA__index_select)",
       "device-weights-left", "index_select", "index", Side::kModel},
      {"cuda:0 and cpu! (when checking arugment for argument index in method wrapper_index_select)",
       "device-ids-left", "index_select", "index", Side::kData},
      {"cuda:0 and cpu! (when checking argument for argument tensors in method wrapper_CUDA_cat)",
       "device-input-left", "cat", "tensors", Side::kData},
      {"cpu and cuda:0! (when checking argument for argument weight in method "
       "wrapper__native_layer_norm)",
       "device-input-left", "layer_norm", "weight", Side::kData},
      {"cuda:1 and cuda:0! (when checking argument for argument index in method "
       "wrapper__index_select)",
       "device-two-gpus", "index_select", "index", Side::kData},
  };
  for (const Wording& row : kRows) expect_read(kTwo + std::string(row.text), row);
}

TEST(LogDevices, IsReadInEveryWording) {
  constexpr Wording kRows[] = {
      {"RuntimeError: Expected all tensors to be on the same device, but got mat2 is on cpu, "
       "different from other tensors on cuda:0 (when "
       "checking argument in method wrapper_CUDA_addmm)",
       "device-weights-left", "addmm", "mat2", Side::kModel},
      {"RuntimeError: Expected object of device type cuda but got device type cpu for argument #3 "
       "'index' in call to _th_index_select",
       "device-ids-left", "index_select", "index", Side::kData},
      {"RuntimeError: Expected object of backend CPU but got backend CUDA for argument #4 'mat1'",
       "device-weights-left", "", "mat1", Side::kModel},
      {"RuntimeError: Expected object of type torch.FloatTensor but found type "
       "torch.cuda.FloatTensor for argument #4 'mat1'",
       "device-weights-left", "", "mat1", Side::kModel},
      {"RuntimeError: Tensor for argument #3 'mat2' is on CPU, but expected it to be on GPU (while "
       "checking arguments for addmm)",
       "device-weights-left", "addmm", "mat2", Side::kModel},
      {"RuntimeError: Input type (MPSFloatType) and weight type (torch.FloatTensor) should be the "
       "same",
       "device-weights-left", "conv2d", "weight", Side::kModel},
      {"RuntimeError: slow_conv2d_forward_mps: input(device='cpu') and weight(device=mps:0')  must "
       "be on the same device",
       "device-input-left", "conv2d", "input", Side::kData},
      {"RuntimeError: indices should be either on cpu or on the same device as the indexed tensor "
       "(cpu)",
       "device-unregistered", "index", "indices", Side::kModel},
      {"RuntimeError: Input, output and indices must be on the current device", "device-ids-left",
       "index_select", "index", Side::kData},
      {"RuntimeError: torch.cat(): all input tensors must be on the same device. Received cuda:0 "
       "and cpu",
       "device-input-left", "cat", "tensors", Side::kData},
  };
  for (const Wording& row : kRows) expect_read(row.text, row);
}

TEST(LogDevices, AnElementwiseOperationIsReadFromItsSource) {
  const Fault in_place = only_fault(
      "Traceback (most recent call last):\n  File \"n.py\", line 9, in load\n    state_dict[key] "
      "+= delta\n" +
      std::string(kTwo) + "cpu and cuda:0!");
  EXPECT_EQ(in_place.operation, "add");
  EXPECT_EQ(in_place.side, Side::kModel);
  const Fault product = only_fault(
      "Traceback (most recent call last):\n  File \"n.py\", line 9, in step\n    x = latent * "
      "mask\n" +
      std::string(kTwo) + "cuda:0 and cpu!");
  EXPECT_EQ(product.operation, "mul");
  EXPECT_EQ(product.side, Side::kData);
}

TEST(LogDevices, TheFoldingPassOfTheExporterIsTheExports) {
  const Fault fault = only_fault(
      "[W shape_type_inference.cpp:419] Warning: Constant folding in symbolic shape inference "
      "fails: Expected all tensors to be on the same "
      "device, but found at least two devices, cuda:0 and cpu! (when checking arugment for "
      "argument index in method wrapper_index_select)");
  EXPECT_EQ(fault.domain, Domain::kOnnxExport);
}

TEST(LogDevices, AnExportIsNotTensorRtsFault) {
  const Fault fault = only_fault(
      "Traceback (most recent call last):\n  File \"/e/exporter.py\", line 84, in export_onnx\n    "
      "torch.onnx.export(\n"
      "  File \"/v/site-packages/torch/onnx/utils.py\", line 506, in export\n    _export(\n" +
      std::string(kTwo) +
      "cpu and cuda:0! (when checking argument for argument mat1 in method wrapper_CUDA_addmm)");
  EXPECT_EQ(fault.component, "unet");
  ASSERT_FALSE(fault.notes.empty());
  EXPECT_NE(fault.notes.front().english.find("TensorRT has not been reached"), std::string::npos);
}

TEST(LogDevices, TwoTypesOnOneDeviceAreAMatterOfPrecision) {
  for (const char* text :
       {"RuntimeError: Input type (torch.cuda.HalfTensor) and weight type (torch.cuda.FloatTensor) "
        "should be the same",
        "RuntimeError: Input type (float) and bias type (c10::Half) should be the same"})
    EXPECT_EQ(only_fault(text).domain, Domain::kPrecision) << text;
}

TEST(LogDevices, TheWordingDatesPyTorch) {
  const Fault fault = only_fault(
      kTwo +
      std::string(
          "cuda:0 and cpu! (when checking argument for argument mat2 in method wrapper_CUDA_mm)"));
  EXPECT_EQ(fault.notes.back().english,
            "The method name wrapper_CUDA_... is that of PyTorch 2.0 or newer.");
}

TEST(LogDevices, MethodNamesLoseTheirWrappers) {
  EXPECT_EQ(operator_name("wrapper_CUDA__index_select"), "index_select");
  EXPECT_EQ(operator_name("wrapper___slow_conv2d_forward"), "conv2d");
  EXPECT_EQ(operator_name("wrapper_CUDA__native_layer_norm"), "layer_norm");
  EXPECT_EQ(operator_name("aten::scaled_dot_product_attention"),
            "aten::scaled_dot_product_attention");
  EXPECT_EQ(operator_name("LayerNormKernelImpl"), "layer_norm");
  EXPECT_EQ(operator_name("addmm_impl_cpu_"), "addmm");
}

}  // namespace
}  // namespace sinter::diagnose::log
