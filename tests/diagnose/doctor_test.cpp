#include "sinter/diagnose/environment/doctor.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/diagnose/environment/collect.h"
#include "sinter/diagnose/environment/compatibility.h"
#include "sinter/diagnose/environment/host_machine.h"
#include "sinter/diagnose/environment/lock.h"
#include "tests/diagnose/fake_machine.h"

namespace sinter::diagnose::environment {
namespace {

const std::string kVenv = "/home/ann/work/venv";
const std::string kSite = kVenv + "/lib/python3.10/site-packages";

/// A workstation with a GPU and a venv beside the current folder in which everything fits.
FakeMachine workstation() {
  FakeMachine machine;
  machine.variables = {{"HOME", "/home/ann"}, {"LANG", "en_US.UTF-8"}};
  machine.files["/etc/os-release"] = "NAME=\"Ubuntu\"\nPRETTY_NAME=\"Ubuntu 22.04.3 LTS\"\n";
  machine.files["/proc/driver/nvidia/version"] =
      "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  Tue Jun  6 22:20:39 UTC 2023\n";
  machine.programs["nvidia-smi"] =
      "| NVIDIA-SMI 535.54.03   Driver Version: 535.54.03   CUDA Version: 12.2     |\n";
  machine.programs
      ["nvidia-smi --query-gpu=name,memory.total,driver_version,compute_cap "
       "--format=csv,noheader,nounits"] = "NVIDIA GeForce RTX 3090, 24576, 535.54.03, 8.6\n";
  machine.files[kVenv + "/pyvenv.cfg"] = "home = /usr/bin\nversion = 3.10.12\n";
  machine.files[kVenv + "/bin/python"] = "";
  machine.install(kSite, "torch", "2.1.0+cu121");
  machine.files[kSite + "/torch/version.py"] =
      "__version__ = '2.1.0+cu121'\ndebug = False\ncuda: Optional[str] = '12.1'\nhip: "
      "Optional[str] = None\n";
  machine.files[kSite + "/torch/onnx/_constants.py"] = "ONNX_MAX_OPSET = 19\n";
  machine.install(kSite, "torchvision", "0.16.0+cu121",
                  "Requires-Dist: numpy\nRequires-Dist: torch (==2.1.0)\n");
  machine.install(kSite, "numpy", "1.26.4");
  machine.install(kSite, "diffusers", "0.24.0", "Requires-Dist: huggingface-hub (>=0.19.4)\n");
  machine.install(kSite, "huggingface_hub", "0.20.3");
  return machine;
}

std::vector<std::string> ids(const Diagnosis& diagnosis) {
  std::vector<std::string> ids;
  for (const Finding& finding : diagnosis.findings) ids.emplace_back(finding.id);
  return ids;
}

Diagnosis diagnose(const FakeMachine& machine) { return examine(collect(machine, {})); }

bool found(const FakeMachine& machine, std::string_view id) {
  return std::ranges::count(ids(diagnose(machine)), id) > 0;
}

const Finding& finding_of(const Diagnosis& diagnosis, std::string_view id) {
  return *std::ranges::find(diagnosis.findings, id, &Finding::id);
}

TEST(Doctor, ReadsTheMachineWithoutRunningPython) {
  const Snapshot snapshot = collect(workstation(), {});
  EXPECT_EQ(snapshot.system, "Ubuntu 22.04.3 LTS");
  EXPECT_EQ(snapshot.driver, "535.54.03");
  EXPECT_EQ(snapshot.cuda_supported, "12.2");
  ASSERT_EQ(snapshot.gpus.size(), 1u);
  EXPECT_EQ(snapshot.gpus[0].compute_capability, "8.6");
  ASSERT_EQ(snapshot.environments.size(), 1u);
  const PythonEnvironment& venv = snapshot.environments[0];
  EXPECT_EQ(venv.python, "3.10.12");
  EXPECT_EQ(venv.torch_cuda, "12.1");
  EXPECT_EQ(venv.torch_path, kSite + "/torch");
  EXPECT_EQ(opsets(venv).torch, 19);
  EXPECT_EQ(attention_backends(venv), std::vector<std::string>{"sdpa"});
}

Diagnosis of_report(const std::string& text) { return examine(collect_env_report(text)); }

bool names(const Diagnosis& diagnosis, std::string_view id) {
  return std::ranges::count(ids(diagnosis), id) > 0;
}

TEST(Doctor, KnowsWhichGpusThePublishedBuildsOfTorchHold) {
  const auto lacks = [](const std::string& torch, const std::string& cuda, const std::string& gpu) {
    return names(of_report("PyTorch version: " + torch + "\nCUDA used to build PyTorch: " + cuda +
                           "\nGPU models and configuration: GPU 0: " + gpu + "\n"),
                 "torch-gpu");
  };
  EXPECT_TRUE(lacks("2.8.0", "12.8", "NVIDIA GeForce GTX 1080 Ti"));
  EXPECT_FALSE(lacks("2.8.0", "12.6", "NVIDIA GeForce GTX 1080 Ti"));
  EXPECT_FALSE(lacks("2.8.0", "12.8", "Tesla V100-SXM2-32GB"));
  EXPECT_TRUE(lacks("2.11.0", "12.8", "Tesla V100-SXM2-32GB"));
  EXPECT_TRUE(lacks("2.9.0", "13.0", "Tesla V100-SXM2-32GB"));
  EXPECT_TRUE(lacks("2.6.0", "12.4", "NVIDIA GeForce RTX 5090"));
  EXPECT_FALSE(lacks("2.7.0", "12.8", "NVIDIA GeForce RTX 5090"));
  EXPECT_FALSE(lacks("2.11.0", "13.0", "NVIDIA GeForce RTX 4070"));
}

TEST(Doctor, HoldsOnnxRuntimeAndTensorRtAgainstTheMachine) {
  const Diagnosis diagnosis = of_report(
      "PyTorch version: 2.7.0\nCUDA used to build PyTorch: 12.6\n"
      "GPU models and configuration:\nGPU 0: Tesla P100-PCIE-16GB\nGPU 1: Tesla P100-PCIE-16GB\n"
      "Nvidia driver version: 560.35.03\n[pip3] onnxruntime-gpu==1.28.0\n"
      "[pip3] tensorrt==10.9.0.34\n[pip3] tensorrt_cu12==10.9.0.34\n");
  EXPECT_EQ(finding_of(diagnosis, "cuda-driver").repair.front(),
            "python -m pip install \"onnxruntime-gpu<1.27\"");
  EXPECT_EQ(finding_of(diagnosis, "tensorrt-gpu").repair.front(),
            "python -m pip install \"tensorrt<10\"");
  EXPECT_EQ(std::ranges::count(ids(diagnosis), "cuda-driver"), 1);
  EXPECT_EQ(std::ranges::count(ids(diagnosis), "tensorrt-gpu"), 1);
}

TEST(Doctor, ReadsReportsOfEverySystem) {
  const Snapshot windows = collect_env_report(
      "PyTorch version: 2.1.2+cpu\r\nOS: Microsoft Windows 11\r\n"
      "GPU models and configuration: GPU 0: NVIDIA GeForce RTX 4070\r\n"
      "cuDNN version: C:\\Program Files\\CUDA\\v12.1\\bin\\cudnn_ops_train64_8.dll\r\n");
  EXPECT_EQ(windows.libraries.at(0).version, "8");
  EXPECT_TRUE(names(examine(windows), "torch-cpu"));
  const Snapshot rocm = collect_env_report(
      "> PyTorch version: 2.4.0+rocm6.1\n> ROCM used to build PyTorch: 6.1.40091\n"
      "> Is CUDA available: True\n"
      "> GPU models and configuration: AMD Radeon RX 7900 XTX (gfx1100)\n");
  EXPECT_EQ(rocm.gpus.at(0).name, "AMD Radeon RX 7900 XTX (gfx1100)");
  EXPECT_TRUE(examine(rocm).sound());
  // An AMD card beside a torch without ROCm or CUDA is no NVIDIA card.
  const std::string amd = "PyTorch version: 2.4.0\nGPU models and configuration: AMD Radeon VII\n";
  EXPECT_FALSE(names(of_report(amd), "torch-cpu"));
}

const std::string kWheels = " --index-url https://download.pytorch.org/whl/";

/// Every command of a diagnosis, in order, each once.
std::vector<std::string> commands(const Diagnosis& diagnosis) {
  std::vector<std::string> all;
  for (const Finding& finding : diagnosis.findings)
    for (const std::string& command : finding.repair)
      if (std::ranges::find(all, command) == all.end()) all.push_back(command);
  return all;
}

TEST(Doctor, WhatHangsOnTorchIsInstalledFromTheIndexOfTheTorchThatIsKept) {
  const std::string report =
      "PyTorch version: 2.6.0+cu124\nCUDA used to build PyTorch: 12.4\n"
      "[pip3] torch==2.6.0+cu124\n";
  EXPECT_EQ(
      commands(of_report(report + "[pip3] torchvision==0.20.1+cu124\n"
                                  "[pip3] xformers==0.0.28.post3\n")),
      (std::vector<std::string>{"python -m pip install \"torch==2.6.0\" \"torchvision==0.21.*\" "
                                "\"xformers==0.0.29.post3\"" +
                                kWheels + "cu124"}));
  // The same number of another build is no answer to pip.
  EXPECT_EQ(
      commands(of_report(report + "[pip3] torchvision==0.21.0+cu118\n")),
      (std::vector<std::string>{
          "python -m pip uninstall -y torchvision",
          "python -m pip install \"torch==2.6.0\" \"torchvision==0.21.*\"" + kWheels + "cu124"}));
  // A torch of the usual index says its CUDA in version.py alone.
  const Diagnosis plain = of_report(
      "PyTorch version: 2.5.1\nCUDA used to build PyTorch: 12.4\n[pip3] torch==2.5.1\n"
      "[pip3] torchaudio==2.4.0\n");
  EXPECT_EQ(commands(plain).at(0),
            "python -m pip install \"torch==2.5.1\" \"torchaudio==2.5.*\"" + kWheels + "cu124");
  // Nothing was published for that torch.
  EXPECT_EQ(commands(of_report("PyTorch version: 1.12.1+cpu\n[pip3] torch==1.12.1+cpu\n"
                               "[pip3] xformers==0.0.20\n")),
            std::vector<std::string>{"python -m pip uninstall -y xformers"});
}

TEST(Doctor, AReplacedTorchIsDecidedOnceAndEverythingFollows) {
  const Diagnosis diagnosis = of_report(
      "PyTorch version: 2.6.0+cu124\nCUDA used to build PyTorch: 12.4\n"
      "GPU models and configuration: GPU 0: NVIDIA GeForce RTX 5090\n"
      "Nvidia driver version: 572.16\n[pip3] torch==2.6.0+cu124\n"
      "[pip3] torchvision==0.20.1+cu124\n[pip3] xformers==0.0.28.post3\n");
  for (const char* id : {"torch-gpu", "version-pair"}) EXPECT_TRUE(names(diagnosis, id)) << id;
  EXPECT_EQ(commands(diagnosis),
            (std::vector<std::string>{
                "python -m pip uninstall -y torch torchvision xformers",
                "python -m pip install \"torch==2.7.*\" \"torchvision==0.22.*\" xformers" +
                    kWheels + "cu128"}));
  // Pascal keeps its release, in the build that still has its kernels.
  EXPECT_EQ(commands(of_report("PyTorch version: 2.8.0+cu128\nCUDA used to build PyTorch: 12.8\n"
                               "GPU models and configuration: GPU 0: Tesla P100-PCIE-16GB\n"))
                .back(),
            "python -m pip install \"torch==2.8.0\"" + kWheels + "cu126");
}

TEST(Doctor, APackageThatWantsAnotherTorchIsChangedAndTorchIsNot) {
  FakeMachine machine = workstation();
  machine.install(kSite, "accelerate", "9.0.0", "Requires-Dist: torch>=3\n");
  EXPECT_EQ(
      finding_of(diagnose(machine), "version-pair").repair,
      std::vector<std::string>{kVenv + "/bin/python -m pip install \"torch==2.1.0\" accelerate "
                                       "--extra-index-url https://download.pytorch.org/whl/cu121"});
}

TEST(Doctor, VerdictsFollowTheFilesAndStaleMetadataIsNamed) {
  FakeMachine machine = workstation();
  machine.install(kSite, "torch", "1.13.1", "Requires-Dist: typing-extensions\n");
  const Snapshot twice = collect(machine, {});
  EXPECT_EQ(twice.environments[0].find("torch")->version, "2.1.0+cu121");
  const Diagnosis diagnosis = examine(twice);
  EXPECT_EQ(ids(diagnosis), std::vector<std::string>{"torch-files"});
  EXPECT_EQ(finding_of(diagnosis, "torch-files").repair,
            std::vector<std::string>{"rm -r \"" + kSite + "/torch-1.13.1.dist-info\""});
  // Where no metadata is of the files, torch is installed again as its files say.
  machine.files.erase(kSite + "/torch-2.1.0+cu121.dist-info/METADATA");
  const Diagnosis alone = diagnose(machine);
  EXPECT_EQ(ids(alone), std::vector<std::string>{"torch-files"});
  EXPECT_EQ(finding_of(alone, "torch-files").repair.back(),
            kVenv + "/bin/python -m pip install \"torch==2.1.0\" \"torchvision==0.16.*\"" +
                kWheels + "cu121");
  // Files without any metadata are imported all the same.
  machine.files.erase(kSite + "/torch-1.13.1.dist-info/METADATA");
  EXPECT_EQ(collect(machine, {}).environments[0].find("torch")->version, "2.1.0+cu121");
}

TEST(Doctor, OfTwoMetadataInOneFolderThatOfTheFilesCounts) {
  FakeMachine machine = workstation();
  machine.install(kSite, "numpy", "2.0.1");
  machine.files[kSite + "/numpy/version.py"] = "version = \"1.26.4\"\n__version__ = version\n";
  const Diagnosis diagnosis = diagnose(machine);
  EXPECT_EQ(ids(diagnosis), std::vector<std::string>{"stale-metadata"});
  EXPECT_NE(diagnosis.findings[0].message(Language::kEnglish).find("its files are 1.26.4"),
            std::string::npos);
}

TEST(Doctor, WhatIsNotKnownIsNotPrinted) {
  FakeMachine machine = workstation();
  for (const char* name : {"onnxruntime", "onnxruntime_gpu"})
    machine.install(kSite, name, "1.20.1");
  const Diagnosis diagnosis = diagnose(machine);
  for (const Finding& finding : diagnosis.findings)
    for (const Language language : {Language::kEnglish, Language::kChinese})
      for (const char* blank : {"?", " - ", " -.", ": -", "：-", "share 0", " 0 个"})
        EXPECT_EQ(finding.message(language).find(blank), std::string::npos)
            << finding.message(language);
  for (const Verdict& verdict : diagnosis.verdicts) EXPECT_FALSE(verdict.right.ends_with("-"));
  EXPECT_EQ(finding_of(diagnosis, "onnxruntime-twice").repair.back(),
            kVenv + "/bin/python -m pip install \"onnxruntime-gpu==1.20.1\"");
}

TEST(Doctor, TorchsOwnCudaCountsBesideThatOfTheToolkitInAReport) {
  const std::string report =
      "PyTorch version: 2.6.0+cu124\nCUDA used to build PyTorch: 12.4\n"
      "CUDA runtime version: 11.8.89\n";
  EXPECT_FALSE(names(of_report(report + "[pip3] onnxruntime-gpu==1.20.1\n"), "onnxruntime-cuda"));
  // A release for what is there goes before more libraries.
  EXPECT_EQ(finding_of(of_report("PyTorch version: 2.6.0+cu124\nCUDA used to build PyTorch: 12.4\n"
                                 "[pip3] onnxruntime-gpu==1.28.0\n"),
                       "onnxruntime-cuda")
                .repair,
            std::vector<std::string>{"python -m pip install \"onnxruntime-gpu>=1.19,<1.27\""});
}

TEST(Doctor, EveryRowOfTheTablesSaysItsSource) {
  for (const PairRule& row : pair_rules()) EXPECT_FALSE(row.source.empty()) << row.left;
  for (const OnnxRuntimeBuild& row : onnxruntime_builds()) EXPECT_FALSE(row.source.empty());
  for (const DriverMinimum& row : driver_minimums()) EXPECT_FALSE(row.source.empty());
  for (const GpuGeneration& row : gpu_generations()) EXPECT_FALSE(row.source.empty());
  for (const LeastCapability& row : least_capabilities()) EXPECT_FALSE(row.source.empty());
  for (const Verdict& verdict : diagnose(workstation()).verdicts)
    EXPECT_FALSE(verdict.source.empty()) << verdict.left;
}

TEST(Doctor, FindsNothingWhereEverythingFits) {
  const Diagnosis diagnosis = diagnose(workstation());
  EXPECT_TRUE(diagnosis.sound());
  EXPECT_EQ(ids(diagnosis), std::vector<std::string>{});
  EXPECT_TRUE(
      std::ranges::all_of(diagnosis.verdicts, [](const Verdict& v) { return v.fits == true; }));
  EXPECT_GE(diagnosis.verdicts.size(), 5u);
}

TEST(Doctor, ADriverTooOldForTorchIsToldWithABuildThatFits) {
  FakeMachine machine = workstation();
  machine.files["/proc/driver/nvidia/version"] = "NVIDIA UNIX x86_64 Kernel Module  470.82.01\n";
  machine.programs["nvidia-smi"] = "Driver Version: 470.82.01   CUDA Version: 11.4\n";
  const Diagnosis diagnosis = diagnose(machine);
  const Finding& finding = finding_of(diagnosis, "torch-driver");
  EXPECT_EQ(finding.message(Language::kEnglish),
            "torch 2.1.0+cu121 needs CUDA 12.1 and with it driver 525 or newer; this is 470.82.01, "
            "which supports CUDA 11.4");
  EXPECT_EQ(
      finding.repair,
      (std::vector<std::string>{
          kVenv + "/bin/python -m pip uninstall -y torch torchvision",
          kVenv + "/bin/python -m pip install \"torch==2.1.0\" \"torchvision==0.16.*\" --index-url "
                  "https://download.pytorch.org/whl/cu118"}));
}

TEST(Doctor, ATorchWithoutCudaBesideAGpuIsAnError) {
  FakeMachine machine = workstation();
  machine.files.erase(kSite + "/torch-2.1.0+cu121.dist-info/METADATA");
  machine.install(kSite, "torch", "2.1.0+cpu");
  machine.files[kSite + "/torch/version.py"] =
      "__version__ = '2.1.0+cpu'\ncuda: Optional[str] = None\n";
  EXPECT_TRUE(found(machine, "torch-cpu"));
  EXPECT_TRUE(found(machine, "torch-companion-cuda"));  // torchvision is still of cu121
}

TEST(Doctor, AGpuNewerThanTorchsCudaHasNoKernels) {
  FakeMachine machine = workstation();
  machine.programs
      ["nvidia-smi --query-gpu=name,memory.total,driver_version,compute_cap "
       "--format=csv,noheader,nounits"] = "NVIDIA GeForce RTX 5090, 32607, 575.51.03, 12.0\n";
  const Diagnosis diagnosis = diagnose(machine);
  EXPECT_NE(finding_of(diagnosis, "torch-gpu").message(Language::kChinese).find("no kernel image"),
            std::string::npos);
}

TEST(Doctor, PairsOfTheTableAndOfTheMetadataAreHeldAgainstEachOther) {
  FakeMachine machine = workstation();
  machine.install(kSite, "numpy", "2.0.1");
  machine.files.erase(kSite + "/numpy-1.26.4.dist-info/METADATA");
  machine.install(kSite, "huggingface_hub", "0.26.0");
  machine.files.erase(kSite + "/huggingface_hub-0.20.3.dist-info/METADATA");
  machine.install(
      kSite, "transformers", "4.36.0",
      "Requires-Dist: tokenizers (<0.19,>=0.14)\nRequires-Dist: flax (<0.5) ; extra == 'flax'\n");
  machine.install(kSite, "tokenizers", "0.20.0");
  machine.install(kSite, "flax", "0.9");
  const Diagnosis diagnosis = diagnose(machine);
  std::vector<std::string> messages;
  for (const Finding& finding : diagnosis.findings)
    messages.push_back(finding.message(Language::kEnglish));
  ASSERT_EQ(messages.size(), 2u + 0u) << testing::PrintToString(messages);
  EXPECT_TRUE(messages[0].starts_with(
      "transformers 4.36.0 needs tokenizers <0.19,>=0.14, but tokenizers 0.20.0 is installed"));
  EXPECT_TRUE(
      messages[1].starts_with("torch 2.1.0+cu121 needs numpy <2, but numpy 2.0.1 is installed"))
      << messages[1];
}

TEST(Doctor, BothOnnxRuntimesAreToldWithTheFilesTheyShare) {
  FakeMachine machine = workstation();
  for (const char* name : {"onnxruntime", "onnxruntime_gpu"}) {
    machine.install(kSite, name, "1.17.1");
    machine.files[kSite + "/" + name + "-1.17.1.dist-info/RECORD"] =
        "onnxruntime/__init__.py,sha256=x,1\nonnxruntime/capi/"
        "onnxruntime_pybind11_state.so,sha256=y,2\n";
  }
  machine.files[kSite + "/onnxruntime/capi/build_and_package_info.py"] =
      "package_name = 'onnxruntime'\n__version__ = '1.17.1'\n";
  machine.files["/usr/local/cuda/lib64/libcudart.so.11.8.89"] = "";
  machine.files["/usr/lib/x86_64-linux-gnu/libcudnn.so.8.9.2"] = "";
  const Diagnosis diagnosis = diagnose(machine);
  const Finding& finding = finding_of(diagnosis, "onnxruntime-twice");
  EXPECT_EQ(finding.values[1], "2");
  EXPECT_EQ(finding.values[3], "onnxruntime");
  EXPECT_EQ(finding.repair[0],
            kVenv + "/bin/python -m pip uninstall -y onnxruntime onnxruntime-gpu");
  EXPECT_FALSE(found(machine, "onnxruntime-cuda"));
}

TEST(Doctor, OnnxRuntimeGpuNeedsItsMajorVersions) {
  FakeMachine machine = workstation();
  machine.install(kSite, "onnxruntime_gpu", "1.20.1");
  machine.files["/usr/local/cuda/lib64/libcudart.so.12.1.105"] = "";
  machine.files["/usr/lib/x86_64-linux-gnu/libcudnn.so.8.9.2"] = "";
  const Diagnosis diagnosis = diagnose(machine);
  EXPECT_EQ(finding_of(diagnosis, "onnxruntime-cuda").message(Language::kEnglish).substr(0, 55),
            "onnxruntime-gpu 1.20.1 needs cuDNN 9; found: 8. It fall");
}

TEST(Doctor, XformersSaysForWhichTorchItWasBuilt) {
  FakeMachine machine = workstation();
  machine.install(kSite, "xformers", "0.0.23",
                  "Requires-Dist: numpy\nRequires-Dist: torch (==2.1.1)\n");
  machine.files[kSite + "/xformers/cpp_lib.json"] =
      R"({"version": {"cuda": 1201, "torch": "2.1.1+cu121"}})";
  const Diagnosis diagnosis = diagnose(machine);
  EXPECT_EQ(ids(diagnosis), std::vector<std::string>{"xformers-build"});
  machine.files[kSite + "/xformers/cpp_lib.json"] =
      R"({"version": {"cuda": 1201, "torch": "2.1.0+cu121"}})";
  EXPECT_FALSE(found(machine, "xformers-build"));
}

TEST(Doctor, SecondInstallsAndRemainsOfBrokenOnesAreTold) {
  FakeMachine machine = workstation();
  const std::string conda = "/home/ann/miniconda3";
  const std::string site = conda + "/lib/python3.10/site-packages";
  const std::string user = "/home/ann/.local/lib/python3.10/site-packages";
  machine.install(site, "torch", "2.0.1");
  machine.install(user, "torch", "2.1.0");
  machine.files[site + "/~orch/version.py"] = "";
  const Snapshot snapshot = collect(machine, {conda});
  ASSERT_EQ(snapshot.environments.size(), 1u);
  EXPECT_EQ(snapshot.environments[0].find("torch")->version, "2.1.0");  // the user's comes first
  const std::vector<std::string> found_ids = ids(examine(snapshot));
  EXPECT_EQ(std::ranges::count(found_ids, "duplicate-package"), 1);
  EXPECT_EQ(std::ranges::count(found_ids, "broken-install"), 1);
}

TEST(Doctor, PathsLocaleAndDisk) {
  FakeMachine machine = workstation();
  machine.free = 3'000'000'000;
  machine.variables["LANG"] = "zh_CN.GBK";
  EXPECT_TRUE(found(machine, "disk-space"));
  EXPECT_TRUE(found(machine, "locale"));
  const std::string odd = "/home/ann/绘图 工具";
  machine.install(odd + "/lib/python3.10/site-packages", "torch", "2.1.0+cu121");
  EXPECT_EQ(std::ranges::count(ids(examine(collect(machine, {odd}))), "path-encoding"), 1);
}

TEST(Doctor, LibrariesOnThePathBeforeThoseOfTorch) {
  FakeMachine machine = workstation();
  machine.files[kSite + "/nvidia/cudnn/lib/libcudnn.so.8"] = "";
  machine.install(kSite, "nvidia_cudnn_cu12", "8.9.2.26");
  machine.files["/opt/old/lib/libcudnn.so.8.2.4"] = "";
  machine.variables["LD_LIBRARY_PATH"] = "/opt/old/lib";
  EXPECT_TRUE(found(machine, "library-shadow"));
}

TEST(Doctor, APythonThatIsNotThereIsAnError) {
  EXPECT_THROW(collect(workstation(), {"/nowhere/bin/python"}), Error);
  EXPECT_EQ(collect(workstation(), {kVenv + "/bin/python"}).environments.size(), 1u);
}

TEST(Doctor, ReadsWhatCollectEnvPrints) {
  const Snapshot snapshot = collect_env_report(
      read_text(std::string(SINTER_TEST_DATA) + "/diagnose/environment/collect_env.txt"));
  const PythonEnvironment& python = snapshot.environments.front();
  EXPECT_EQ(snapshot.driver, "470.161.03");
  EXPECT_EQ(python.torch_version, "2.3.1+cu121");
  EXPECT_EQ(python.python, "3.10.14");
  EXPECT_EQ(python.cuda_available, false);
  EXPECT_EQ(snapshot.gpus.front().name, "NVIDIA GeForce RTX 2080 Ti");
  EXPECT_EQ(python.find("torchvision")->version, "0.17.2+cu121");
  const std::vector<std::string> found_ids = ids(examine(snapshot));
  for (const char* id : {"torch-driver", "cuda-unavailable", "version-pair"})
    EXPECT_EQ(std::ranges::count(found_ids, id), 1) << id;
  EXPECT_THROW(collect_env_report("nothing of the kind\n"), Error);
}

TEST(Lock, TheSameMachineGivesTheSameBytesAndNoDrift) {
  const Snapshot snapshot = collect(workstation(), {});
  const std::string lock = to_lock(snapshot);
  EXPECT_EQ(lock, to_lock(collect(workstation(), {})));
  EXPECT_EQ(to_lock(from_lock(lock)), lock);
  EXPECT_TRUE(drift(from_lock(lock), snapshot).empty());
}

std::string refusal(const std::string& text) {
  try {
    from_lock(text);
  } catch (const Error& error) {
    return error.message();
  }
  return {};
}

TEST(Lock, SaysWhatIsWrongWithAFileAndWhere) {
  const std::string head = "this is not an environment file of sinter: ";
  EXPECT_EQ(refusal(""), head + "it should be JSON, and is empty");
  EXPECT_EQ(refusal("{\n"), head + "it should be JSON, and is cut off at line 2 (byte 2 of 2)");
  EXPECT_EQ(refusal("{\n}}\n"),
            head + "it should be JSON, and is no longer that at line 2 (byte 3 of 5)");
  EXPECT_EQ(refusal("[]"), head + "it should be a JSON object, and is array");
  EXPECT_EQ(refusal("{}"), head + "sinter_environment should be there, and is missing");
  std::string lock = to_lock(collect(workstation(), {}));
  lock.replace(lock.find("24576.0"), 7, "\"much\"");
  EXPECT_EQ(refusal(lock), head + "gpus[0].memory_mb should be a number, and is string");
}

TEST(Lock, SaysWhatHasChanged) {
  const Snapshot before = from_lock(to_lock(collect(workstation(), {})));
  FakeMachine machine = workstation();
  machine.files["/proc/driver/nvidia/version"] = "Kernel Module  550.90.07\n";
  machine.files.erase(kSite + "/numpy-1.26.4.dist-info/METADATA");
  machine.install(kSite, "numpy", "2.1.0");
  machine.install(kSite, "peft", "0.12.0");
  const std::vector<Drift> drifts = drift(before, collect(machine, {}));
  ASSERT_EQ(drifts.size(), 3u);
  EXPECT_EQ(drifts[0].what, "driver");
  EXPECT_EQ(drifts[1].what + drifts[1].before + drifts[1].now, "numpy1.26.42.1.0");
  EXPECT_EQ(drifts[2].what + drifts[2].before + drifts[2].now, "peft0.12.0");
  EXPECT_THROW(from_lock("{}"), Error);
}

TEST(Doctor, LooksAtThisMachineToo) {
  const Snapshot snapshot = collect(HostMachine(), {});
  const Diagnosis diagnosis = examine(snapshot);
  for (const Finding& finding : diagnosis.findings) {
    EXPECT_FALSE(finding.message(Language::kEnglish).empty());
    EXPECT_FALSE(finding.message(Language::kChinese).empty());
  }
  EXPECT_EQ(to_lock(from_lock(to_lock(snapshot))), to_lock(snapshot));
}

TEST(CompatibilityTables, CanBeRead) {
  for (const PairRule& rule : pair_rules()) {
    EXPECT_NE(rule.left, rule.right);
    EXPECT_FALSE(rule.needs.empty());
    EXPECT_EQ(rule.why.english.empty(), rule.why.chinese.empty()) << rule.left;
  }
  EXPECT_EQ(cuda_of_driver("535.54.03"), "12.2");
  EXPECT_EQ(cuda_of_driver("200.1"), "");
}

}  // namespace
}  // namespace sinter::diagnose::environment
