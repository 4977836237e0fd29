// Which versions fit each other: facts of the projects' release notes and packages. Every row says
// where it comes from.
#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "sinter/diagnose/environment/compatibility.h"
#include "sinter/diagnose/environment/version.h"

namespace sinter::diagnose::environment {
namespace {

// What a row means.
constexpr Text kPublished{"", ""};
constexpr Text kXformersBuilt{
    "xformers is compiled for exactly one torch; with another its kernels do not load",
    "xformers 只针对一个 torch 版本编译，换了版本其内核无法加载"};
constexpr Text kXformersStable{
    "from 0.0.34 on xformers uses an interface that torch has since 2.10",
    "0.0.34 起 xformers 使用 torch 2.10 才有的接口"};
constexpr Text kNumpy2{
    "this release was compiled for NumPy 1; NumPy 2 breaks its binary interface (\"A module that "
    "was compiled using NumPy 1.x cannot be run in NumPy 2\")",
    "该版本针对 NumPy 1 编译，NumPy 2 改变了二进制接口（报 \"A module that was compiled using "
    "NumPy "
    "1.x cannot be run in NumPy 2\"）"};
constexpr Text kCachedDownload{
    "huggingface_hub 0.26 removed cached_download, which diffusers imports before 0.29",
    "huggingface_hub 0.26 删除了 cached_download，而 diffusers 0.29 之前会导入它"};
constexpr Text kTransformers5Hub{"transformers 5 is written for huggingface_hub 1 and later",
                                 "transformers 5 需要 huggingface_hub 1 及以上"};
constexpr Text kTransformers4Hub{"transformers 4 refuses huggingface_hub 1 and later",
                                 "transformers 4 不接受 huggingface_hub 1 及以上"};
constexpr Text kTransformers5{"transformers 5 removed classes that diffusers imports before 0.36",
                              "transformers 5 删除了 diffusers 0.36 之前导入的类"};
constexpr Text kProtobuf4{
    "code generated for protobuf 3 does not run on 4 (\"Descriptors cannot be created directly\")",
    "为 protobuf 3 生成的代码不能在 4 上运行（报 \"Descriptors cannot be created directly\"）"};
constexpr Text kTorchTensorrt{"torch-tensorrt is compiled for the torch of the same number",
                              "torch-tensorrt 针对同版本号的 torch 编译"};
constexpr Text kTriton{
    "torch.compile and some attention kernels need the triton that torch was built with",
    "torch.compile 和部分注意力内核需要与 torch 配套的 triton"};

// Where a row comes from.
constexpr std::string_view kTorchvision = "torchvision README, table of versions";
constexpr std::string_view kTorchaudio = "torchaudio documentation, compatibility matrix";
constexpr std::string_view kMetadata = "requirements in the published wheels' metadata";
constexpr std::string_view kXformersNotes = "xformers release notes, 0.0.34";
constexpr std::string_view kNumpyNotes = "release notes of the package: first with NumPy 2";
constexpr std::string_view kHubNotes = "huggingface_hub release notes, 0.26";
constexpr std::string_view kDiffusersNotes = "diffusers release notes, 0.36";
constexpr std::string_view kProtobufNotes = "protobuf news of May 2022, on 4.21";
constexpr std::string_view kOrtTable =
    "onnxruntime.ai, requirements of the CUDA and TensorRT providers";
constexpr std::string_view kOrtCuda13 =
    "microsoft/onnxruntime issue 29767; the package's extra \"cuda\" asks for CUDA 13";
constexpr std::string_view kCudaCompatibility = "NVIDIA, CUDA Compatibility: minor versions";
constexpr std::string_view kCudaNotes = "CUDA Toolkit release notes, supported architectures";
constexpr std::string_view kTorchNotes = "PyTorch 2.8 release notes; pytorch/pytorch issue 157517";
constexpr std::string_view kTorchVolta = "pytorch/pytorch issue 172352";
constexpr std::string_view kTensorrtNotes = "TensorRT release notes and support matrix";
constexpr std::string_view kTorchConstants = "torch/onnx/_constants.py of the release";
constexpr std::string_view kOnnxVersioning = "ONNX, versioning: table of releases and opsets";
constexpr std::string_view kOrtCompatibility = "onnxruntime.ai, compatibility: table of opsets";
constexpr std::string_view kTorchMatrix = "pytorch/pytorch RELEASE.md, support matrix";

constexpr std::array kPairs{
    PairRule{"torch", "==1.12.*", "torchvision", "==0.13.*", kPublished, kTorchvision},
    PairRule{"torch", "==1.13.*", "torchvision", "==0.14.*", kPublished, kTorchvision},
    PairRule{"torch", "==2.0.*", "torchvision", "==0.15.*", kPublished, kTorchvision},
    PairRule{"torch", "==2.1.*", "torchvision", "==0.16.*", kPublished, kTorchvision},
    PairRule{"torch", "==2.2.*", "torchvision", "==0.17.*", kPublished, kTorchvision},
    PairRule{"torch", "==2.3.*", "torchvision", "==0.18.*", kPublished, kTorchvision},
    PairRule{"torch", "==2.4.*", "torchvision", "==0.19.*", kPublished, kTorchvision},
    PairRule{"torch", "==2.5.*", "torchvision", "==0.20.*", kPublished, kTorchvision},
    PairRule{"torch", "==2.6.*", "torchvision", "==0.21.*", kPublished, kTorchvision},
    PairRule{"torch", "==2.7.*", "torchvision", "==0.22.*", kPublished, kTorchvision},
    PairRule{"torch", "==2.8.*", "torchvision", "==0.23.*", kPublished, kTorchvision},
    PairRule{"torch", "==2.9.*", "torchvision", "==0.24.*", kPublished, kTorchvision},
    PairRule{"torch", "==2.10.*", "torchvision", "==0.25.*", kPublished, kTorchvision},
    PairRule{"torch", "==2.11.*", "torchvision", "==0.26.*", kPublished, kTorchvision},
    PairRule{"torch", "==2.12.*", "torchvision", "==0.27.*", kPublished, kTorchvision},
    PairRule{"torch", "==2.13.*", "torchvision", "==0.28.*", kPublished, kTorchvision},
    PairRule{"torch", "==2.14.*", "torchvision", "==0.29.*", kPublished, kTorchvision},
    PairRule{"torch", "==2.15.*", "torchvision", "==0.30.*", kPublished, kTorchvision},
    PairRule{"torch", "==1.12.*", "torchaudio", "==0.12.*", kPublished, kTorchaudio},
    PairRule{"torch", "==1.13.*", "torchaudio", "==0.13.*", kPublished, kTorchaudio},
    PairRule{"torch", "==2.0.*", "torchaudio", "==2.0.*", kPublished, kTorchaudio},
    PairRule{"torch", "==2.1.*", "torchaudio", "==2.1.*", kPublished, kTorchaudio},
    PairRule{"torch", "==2.2.*", "torchaudio", "==2.2.*", kPublished, kTorchaudio},
    PairRule{"torch", "==2.3.*", "torchaudio", "==2.3.*", kPublished, kTorchaudio},
    PairRule{"torch", "==2.4.*", "torchaudio", "==2.4.*", kPublished, kTorchaudio},
    PairRule{"torch", "==2.5.*", "torchaudio", "==2.5.*", kPublished, kTorchaudio},
    PairRule{"torch", "==2.6.*", "torchaudio", "==2.6.*", kPublished, kTorchaudio},
    PairRule{"torch", "==2.7.*", "torchaudio", "==2.7.*", kPublished, kTorchaudio},
    PairRule{"torch", "==2.8.*", "torchaudio", "==2.8.*", kPublished, kTorchaudio},
    PairRule{"xformers", "==0.0.16", "torch", "==1.13.1", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.17", "torch", "==2.0.0", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.18", "torch", "==2.0.0", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.19", "torch", "==2.0.0", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.20", "torch", "==2.0.1", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.21", "torch", "==2.0.1", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.22", "torch", "==2.0.1", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.22.post7", "torch", "==2.1.0", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.23", "torch", "==2.1.1", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.23.post1", "torch", "==2.1.2", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.24", "torch", "==2.2.0", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.25", "torch", "==2.2.1", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.25.post1", "torch", "==2.2.2", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.26.post1", "torch", "==2.3.0", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.27", "torch", "==2.3.1", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.27.post1", "torch", "==2.4.0", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.27.post2", "torch", "==2.4.0", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.28", "torch", "==2.4.1", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.28.post1", "torch", "==2.4.1", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.28.post2", "torch", "==2.5.0", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.28.post3", "torch", "==2.5.1", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.29", "torch", "==2.5.1", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.29.post1", "torch", "==2.5.1", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.29.post2", "torch", "==2.6.0", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.29.post3", "torch", "==2.6.0", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.30", "torch", "==2.7.0", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.31", "torch", "==2.7.1", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.31.post1", "torch", "==2.7.1", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.32.post1", "torch", "==2.8.0", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.32.post2", "torch", "==2.8.0", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.33", "torch", "==2.9.0", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.33.post1", "torch", "==2.9.0", kXformersBuilt, kMetadata},
    PairRule{"xformers", "==0.0.33.post2", "torch", "==2.9.1", kXformersBuilt, kMetadata},
    PairRule{"xformers", ">=0.0.34", "torch", ">=2.10", kXformersStable, kXformersNotes},
    PairRule{"torch", "<2.3", "numpy", "<2", kNumpy2, kNumpyNotes},
    PairRule{"onnxruntime", "<1.19", "numpy", "<2", kNumpy2, kNumpyNotes},
    PairRule{"onnxruntime-gpu", "<1.19", "numpy", "<2", kNumpy2, kNumpyNotes},
    PairRule{"onnxruntime-directml", "<1.19", "numpy", "<2", kNumpy2, kNumpyNotes},
    PairRule{"onnx", "<1.16.2", "numpy", "<2", kNumpy2, kNumpyNotes},
    PairRule{"opencv-python", "<4.10.0.84", "numpy", "<2", kNumpy2, kNumpyNotes},
    PairRule{"opencv-python-headless", "<4.10.0.84", "numpy", "<2", kNumpy2, kNumpyNotes},
    PairRule{"scipy", "<1.13", "numpy", "<2", kNumpy2, kNumpyNotes},
    PairRule{"scikit-image", "<0.23", "numpy", "<2", kNumpy2, kNumpyNotes},
    PairRule{"numba", "<0.60", "numpy", "<2", kNumpy2, kNumpyNotes},
    PairRule{"diffusers", "<0.29", "huggingface-hub", "<0.26", kCachedDownload, kHubNotes},
    PairRule{"transformers", ">=5", "huggingface-hub", ">=1", kTransformers5Hub, kMetadata},
    PairRule{"transformers", "<5", "huggingface-hub", "<1", kTransformers4Hub, kMetadata},
    PairRule{"transformers", ">=5", "diffusers", ">=0.36", kTransformers5, kDiffusersNotes},
    PairRule{"onnx", "<1.13", "protobuf", "<4", kProtobuf4, kProtobufNotes},
    PairRule{"tensorboard", "<2.12", "protobuf", "<4", kProtobuf4, kProtobufNotes},
    PairRule{"torch-tensorrt", "==2.0.*", "torch", "==2.0.*", kTorchTensorrt, kMetadata},
    PairRule{"torch-tensorrt", "==2.1.*", "torch", "==2.1.*", kTorchTensorrt, kMetadata},
    PairRule{"torch-tensorrt", "==2.2.*", "torch", "==2.2.*", kTorchTensorrt, kMetadata},
    PairRule{"torch-tensorrt", "==2.3.*", "torch", "==2.3.*", kTorchTensorrt, kMetadata},
    PairRule{"torch-tensorrt", "==2.4.*", "torch", "==2.4.*", kTorchTensorrt, kMetadata},
    PairRule{"torch-tensorrt", "==2.5.*", "torch", "==2.5.*", kTorchTensorrt, kMetadata},
    PairRule{"torch-tensorrt", "==2.6.*", "torch", "==2.6.*", kTorchTensorrt, kMetadata},
    PairRule{"torch-tensorrt", "==2.7.*", "torch", "==2.7.*", kTorchTensorrt, kMetadata},
    PairRule{"torch-tensorrt", "==2.8.*", "torch", "==2.8.*", kTorchTensorrt, kMetadata},
    PairRule{"torch-tensorrt", "==2.9.*", "torch", "==2.9.*", kTorchTensorrt, kMetadata},
    PairRule{"torch", "==2.0.*", "triton", "==2.0.*", kTriton, kMetadata},
    PairRule{"torch", "==2.1.*", "triton", "==2.1.*", kTriton, kMetadata},
    PairRule{"torch", "==2.2.*", "triton", "==2.2.*", kTriton, kMetadata},
    PairRule{"torch", "==2.3.*", "triton", "==2.3.*", kTriton, kMetadata},
    PairRule{"torch", "==2.4.*", "triton", "==3.0.*", kTriton, kMetadata},
    PairRule{"torch", "==2.5.*", "triton", "==3.1.*", kTriton, kMetadata},
    PairRule{"torch", "==2.6.*", "triton", "==3.2.*", kTriton, kMetadata},
    PairRule{"torch", "==2.7.*", "triton", "==3.3.*", kTriton, kMetadata},
    PairRule{"torch", "==2.8.*", "triton", "==3.4.*", kTriton, kMetadata},
    PairRule{"torch", "==2.9.*", "triton", "==3.5.*", kTriton, kMetadata},
};

// CUDA and cuDNN: requirements of the CUDA provider; TensorRT: version table of the TensorRT
// provider (onnxruntime.ai). Of the packages that `pip install onnxruntime-gpu` brings.
constexpr std::array kBuilds{
    OnnxRuntimeBuild{">=1.12,<1.15", 11, 8, "==8.*", kOrtTable},
    OnnxRuntimeBuild{">=1.15,<1.18", 11, 8, "==8.6.*", kOrtTable},
    OnnxRuntimeBuild{">=1.18,<1.19", 11, 8, "==10.0.*", kOrtTable},
    OnnxRuntimeBuild{">=1.19,<1.20", 12, 9, "==10.2.*", kOrtTable},
    OnnxRuntimeBuild{">=1.20,<1.21", 12, 9, "==10.4.*", kOrtTable},
    OnnxRuntimeBuild{">=1.21,<1.22", 12, 9, "==10.8.*", kOrtTable},
    OnnxRuntimeBuild{">=1.22,<1.23", 12, 9, "==10.9.*", kOrtTable},
    OnnxRuntimeBuild{">=1.23,<1.27", 12, 9, "==10.*", kOrtTable},
    OnnxRuntimeBuild{">=1.27", 13, 9, "", kOrtCuda13},
};

// CUDA Compatibility, table of minor version compatibility.
constexpr std::array kDrivers{DriverMinimum{11, 450, kCudaCompatibility},
                              DriverMinimum{12, 525, kCudaCompatibility},
                              DriverMinimum{13, 580, kCudaCompatibility}};

constexpr std::array kGenerations{
    GpuGeneration{"5.0", "7.0", "13.0", "Maxwell", kCudaNotes},
    GpuGeneration{"5.2", "7.0", "13.0", "Maxwell", kCudaNotes},
    GpuGeneration{"6.0", "8.0", "13.0", "Pascal", kCudaNotes},
    GpuGeneration{"6.1", "8.0", "13.0", "Pascal", kCudaNotes},
    GpuGeneration{"7.0", "9.0", "13.0", "Volta", kCudaNotes},
    GpuGeneration{"7.5", "10.0", "", "Turing", kCudaNotes},
    GpuGeneration{"8.0", "11.0", "", "Ampere", kCudaNotes},
    GpuGeneration{"8.6", "11.1", "", "Ampere", kCudaNotes},
    GpuGeneration{"8.7", "11.4", "", "Ampere", kCudaNotes},
    GpuGeneration{"8.9", "11.8", "", "Ada Lovelace", kCudaNotes},
    GpuGeneration{"9.0", "11.8", "", "Hopper", kCudaNotes},
    GpuGeneration{"10.0", "12.8", "", "Blackwell", kCudaNotes},
    GpuGeneration{"10.3", "12.9", "", "Blackwell", kCudaNotes},
    GpuGeneration{"11.0", "13.0", "", "Blackwell", kCudaNotes},
    GpuGeneration{"12.0", "12.8", "", "Blackwell", kCudaNotes},
    GpuGeneration{"12.1", "12.9", "", "Blackwell", kCudaNotes},
};

// torch: ONNX_MAX_OPSET of the exporter; onnx and onnxruntime: their versioning pages.
constexpr std::array kOpsets{
    OpsetRow{"torch", "<1.13", 16, kTorchConstants},
    OpsetRow{"torch", "==1.13.*", 17, kTorchConstants},
    OpsetRow{"torch", "==2.0.*", 18, kTorchConstants},
    OpsetRow{"torch", ">=2.1,<2.4", 19, kTorchConstants},
    OpsetRow{"torch", ">=2.4,<2.9", 20, kTorchConstants},
    OpsetRow{"torch", ">=2.9", 23, kTorchConstants},
    OpsetRow{"onnx", "==1.12.*", 17, kOnnxVersioning},
    OpsetRow{"onnx", "==1.13.*", 18, kOnnxVersioning},
    OpsetRow{"onnx", "==1.14.*", 19, kOnnxVersioning},
    OpsetRow{"onnx", "==1.15.*", 20, kOnnxVersioning},
    OpsetRow{"onnx", "==1.16.*", 21, kOnnxVersioning},
    OpsetRow{"onnx", "==1.17.*", 22, kOnnxVersioning},
    OpsetRow{"onnx", "==1.18.*", 23, kOnnxVersioning},
    OpsetRow{"onnx", "==1.19.*", 24, kOnnxVersioning},
    OpsetRow{"onnx", "==1.20.*", 25, kOnnxVersioning},
    OpsetRow{"onnxruntime", "<1.14", 17, kOrtCompatibility},
    OpsetRow{"onnxruntime", "==1.14.*", 18, kOrtCompatibility},
    OpsetRow{"onnxruntime", ">=1.15,<1.17", 19, kOrtCompatibility},
    OpsetRow{"onnxruntime", "==1.17.*", 20, kOrtCompatibility},
    OpsetRow{"onnxruntime", ">=1.18,<1.21", 21, kOrtCompatibility},
    OpsetRow{"onnxruntime", ">=1.21,<1.23", 22, kOrtCompatibility},
    OpsetRow{"onnxruntime", ">=1.23,<1.25", 23, kOrtCompatibility},
};

// The published wheels hold fewer architectures than their CUDA could compile for.
constexpr std::array kLeast{
    LeastCapability{"torch", ">=2.8,<2.11", ">=12.8,<13", "7.0", kTorchNotes},
    LeastCapability{"torch", ">=2.11", ">=12.8,<13", "7.5", kTorchVolta},
    LeastCapability{"tensorrt", ">=8.6,<9", "", "5.0", kTensorrtNotes},
    LeastCapability{"tensorrt", ">=10,<10.5", "", "7.0", kTensorrtNotes},
    LeastCapability{"tensorrt", ">=10.5", "", "7.5", kTensorrtNotes},
};

/// A pattern of names and what they have.
struct GpuModel {
  std::string_view pattern;
  std::string_view capability;
};
// Names that NVIDIA prints; a report without numbers has only these. Source: developer.nvidia.com,
// CUDA GPU compute capability.
constexpr std::array kModels{
    GpuModel{R"(RTX PRO \d|RTX 50\d\d)", "12.0"},
    GpuModel{R"(GB10\b)", "12.1"},
    GpuModel{R"(\bG?B[23]00\b)", "10.0"},
    GpuModel{R"(\bG?H[12]00\b|\bH20\b|\bH800\b)", "9.0"},
    GpuModel{R"(RTX 40\d\d|RTX \d{4} Ada|RTX \d000 SFF Ada|\bL4\b|\bL40S?\b|\bL20\b)", "8.9"},
    GpuModel{R"(RTX 30\d\d|RTX A\d{4}|\bA10G?\b|\bA16\b|\bA2\b|\bA40\b)", "8.6"},
    GpuModel{R"(\bA100\b|\bA800\b|\bA30\b)", "8.0"},
    GpuModel{R"(RTX 20\d\d|GTX 16\d\d|TITAN RTX|Quadro RTX|\bT4\b|\bT\d{3,4}\b|\bMX450\b)", "7.5"},
    GpuModel{R"(\bV100|TITAN V\b|Quadro GV100)", "7.0"},
    GpuModel{R"(GTX 10\d\d|GT 10\d\d|TITAN X[pP]\b|\bP40\b|\bP4\b|Quadro P\d|\bMX[123]\d0\b)",
             "6.1"},
    GpuModel{R"(\bP100\b|Quadro GP100)", "6.0"},
    GpuModel{R"(GTX 9\d\d|GTX TITAN X|\bM40\b|\bM60\b|Quadro M\d{4})", "5.2"},
    GpuModel{R"(GTX 7[45]0|GTX 8[456]0M)", "5.0"},
};

struct TorchBuilds {
  std::string_view versions;
  std::string_view builds;  // oldest first
  std::string_view source;
};
constexpr std::array kTorchBuilds{
    TorchBuilds{"==1.13.*", "cu116 cu117", kTorchMatrix},
    TorchBuilds{"==2.0.*", "cu117 cu118", kTorchMatrix},
    TorchBuilds{">=2.1,<2.4", "cu118 cu121", kTorchMatrix},
    TorchBuilds{">=2.4,<2.6", "cu118 cu121 cu124", kTorchMatrix},
    TorchBuilds{"==2.6.*", "cu118 cu124 cu126", kTorchMatrix},
    TorchBuilds{"==2.7.*", "cu118 cu126 cu128", kTorchMatrix},
    TorchBuilds{"==2.8.*", "cu126 cu128 cu129", kTorchMatrix},
    TorchBuilds{">=2.9,<2.12", "cu126 cu128 cu130", kTorchMatrix},
};

}  // namespace

std::span<const PairRule> pair_rules() { return kPairs; }
std::span<const OnnxRuntimeBuild> onnxruntime_builds() { return kBuilds; }
std::span<const DriverMinimum> driver_minimums() { return kDrivers; }
std::span<const GpuGeneration> gpu_generations() { return kGenerations; }
std::span<const LeastCapability> least_capabilities() { return kLeast; }

std::string_view capability_of(std::string_view gpu) {
  for (const GpuModel& model : kModels)
    if (RE2::PartialMatch(gpu, std::string(model.pattern))) return model.capability;
  return {};
}

int highest_opset(std::string_view package, std::string_view version) {
  const Version parsed = parse_version(version);
  if (!parsed.known()) return 0;
  const auto* row = std::ranges::find_if(kOpsets, [&](const OpsetRow& candidate) {
    return candidate.package == package && satisfies(parsed, candidate.versions);
  });
  return row == kOpsets.end() ? 0 : row->opset;
}

std::string_view cuda_builds(std::string_view torch_version) {
  const Version parsed = parse_version(torch_version);
  if (!parsed.known()) return {};
  const auto* row = std::ranges::find_if(kTorchBuilds, [&](const TorchBuilds& candidate) {
    return satisfies(parsed, candidate.versions);
  });
  return row == kTorchBuilds.end() ? std::string_view() : row->builds;
}

}  // namespace sinter::diagnose::environment
