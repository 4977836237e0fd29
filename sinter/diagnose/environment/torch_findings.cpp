// What torch needs: the driver, the GPU, and the packages compiled for it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "sinter/diagnose/environment/collect.h"
#include "sinter/diagnose/environment/doctor.h"
#include "sinter/diagnose/environment/torch_plan.h"
#include "sinter/diagnose/environment/version.h"

namespace sinter::diagnose::environment {
namespace {

bool of_nvidia(const Gpu& gpu) {
  return std::ranges::none_of(std::array{"AMD", "Intel", "Apple", "Radeon"},
                              [&](const char* maker) { return gpu.name.starts_with(maker); });
}

void examine_driver(const Snapshot& snapshot, const PythonEnvironment& environment,
                    const TorchPlan& plan, const Package& torch, Diagnosis& diagnosis) {
  const std::string cuda = torch_cuda(environment);
  if (cuda.empty()) {
    if (lacks_cuda(snapshot, environment))
      diagnosis.findings.push_back({"torch-cpu",
                                    Severity::kError,
                                    environment.path,
                                    {"torch {0} is built without CUDA, although there is an NVIDIA "
                                     "GPU: \"Torch not compiled with "
                                     "CUDA enabled\"",
                                     "有 NVIDIA GPU，但 torch {0} 是不带 CUDA 的版本：会报 \"Torch "
                                     "not compiled with CUDA enabled\""},
                                    {torch.version},
                                    plan.commands});
    return;
  }
  if (snapshot.driver.empty()) return;
  const int major = parse_version(cuda).part(0);
  const auto minimum = std::ranges::find(driver_minimums(), major, &DriverMinimum::cuda_major);
  if (minimum == driver_minimums().end()) return;
  const bool fits = parse_version(snapshot.driver).part(0) >= minimum->driver;
  const Text why{"a driver runs every CUDA of the major version that it came with, and older ones",
                 "驱动能运行同一主版本及更早的所有 CUDA"};
  diagnosis.verdicts.push_back({environment.path,
                                fmt::format("torch {} (CUDA {})", torch.version, cuda),
                                "driver " + snapshot.driver, fits,
                                fmt::format("driver >={}", minimum->driver), why, minimum->source});
  if (fits) return;
  diagnosis.findings.push_back(
      {"torch-driver",
       Severity::kError,
       environment.path,
       {"torch {0} needs CUDA {1} and with it driver {2} or newer; this is {3}, which supports "
        "CUDA {4}",
        "torch {0} 需要 CUDA {1}，即驱动 {2} 以上；当前驱动是 {3}，最高支持 CUDA {4}"},
       {torch.version, cuda, std::to_string(minimum->driver), snapshot.driver,
        snapshot.cuda_supported.empty() ? cuda_of_driver(snapshot.driver)
                                        : snapshot.cuda_supported},
       plan.commands});
}

/// "8.6" -> "86".
std::string sm(std::string capability) {
  std::erase(capability, '.');
  return capability;
}

void examine_gpus(const Snapshot& snapshot, const PythonEnvironment& environment,
                  const TorchPlan& plan, const Package& torch, Diagnosis& diagnosis) {
  const Version cuda = parse_version(torch_cuda(environment));
  if (!cuda.known()) return;
  std::set<std::string> judged;
  for (const Gpu& gpu : snapshot.gpus) {
    if (!judged.insert(gpu.name).second) continue;
    const GpuGeneration* generation = generation_of(gpu);
    if (generation == nullptr) continue;
    const GpuVerdict verdict = judge_gpu(*generation, parse_version(torch.version), cuda);
    diagnosis.verdicts.push_back(
        {environment.path,
         fmt::format("torch {} (CUDA {})", torch.version, torch_cuda(environment)),
         fmt::format("{} (sm_{})", gpu.name, sm(std::string(generation->capability))),
         verdict.fits,
         verdict.needs,
         {"each build of torch holds kernels for certain GPU generations",
          "每个 torch 构建只包含特定 GPU 架构的内核"},
         verdict.source});
    if (verdict.fits) continue;
    diagnosis.findings.push_back(
        {"torch-gpu",
         Severity::kError,
         environment.path,
         {"{0} is {1} (compute capability {2}); torch {3} with CUDA {4} has no kernels for it: "
          "\"no kernel image is available for execution on the device\"",
          "{0} 属于 {1}（计算能力 {2}），带 CUDA {4} 的 torch {3} 没有它的内核：会报 \"no kernel "
          "image is available for execution on the device\""},
         {gpu.name, std::string(generation->name), std::string(generation->capability),
          torch.version, torch_cuda(environment)},
         plan.commands});
  }
}

/// torchvision and torchaudio of another CUDA than torch.
void examine_companions(const PythonEnvironment& environment, const TorchPlan& plan,
                        const Package& torch, Diagnosis& diagnosis) {
  const std::string own = parse_version(torch.version).local;
  for (const char* name : {"torchvision", "torchaudio"}) {
    const Package* package = environment.find(name);
    if (package == nullptr) continue;
    const std::string other = parse_version(package->version).local;
    if (own.empty() || other.empty() || own == other) continue;
    diagnosis.findings.push_back(
        {"torch-companion-cuda",
         Severity::kError,
         environment.path,
         {"{0} {1} is built for another CUDA than torch {2}: \"compiled with different CUDA major "
          "versions\" or missing operators (torchvision::nms)",
          "{0} {1} 与 torch {2} 的 CUDA 版本不同：会报 \"compiled with different CUDA major "
          "versions\" "
          "或缺少算子（torchvision::nms）"},
         {name, package->version, torch.version},
         plan.commands});
  }
}

void examine_xformers(const PythonEnvironment& environment, const TorchPlan& plan,
                      const Package& torch, Diagnosis& diagnosis) {
  const Package* xformers = environment.find("xformers");
  if (xformers == nullptr || environment.xformers_torch.empty()) return;
  const bool fits = xformers_fits(environment);
  diagnosis.verdicts.push_back(
      {environment.path,
       "xformers " + xformers->version,
       "torch " + torch.version,
       fits,
       "torch ==" + environment.xformers_torch,
       {"its compiled part says for which torch it was built", "其编译部分记录了所针对的 torch"},
       "xformers' own build record"});
  if (fits) return;
  diagnosis.findings.push_back(
      {"xformers-build",
       Severity::kError,
       environment.path,
       {"xformers {0} was built for torch {1}, but {2} is installed: its attention kernels do not "
        "load",
        "xformers {0} 是为 torch {1} 编译的，而安装的是 {2}：其注意力内核无法加载"},
       {xformers->version, environment.xformers_torch, torch.version},
       plan.commands});
}

/// Metadata of torch that is not that of its files.
void examine_files(const PythonEnvironment& environment, const TorchPlan& plan,
                   Diagnosis& diagnosis) {
  for (const StaleMetadata& stale : environment.stale) {
    if (stale.name != "torch") continue;
    std::vector<std::string> repair{remove_folder(environment, stale.path)};
    if (stale.only) repair = plan.commands;
    diagnosis.findings.push_back(
        {"torch-files",
         Severity::kError,
         environment.path,
         {"the files of torch are {0}, and that is what is imported; {2} says {1}: one "
          "installation "
          "was written over another, and pip goes by what the metadata says",
          "torch 的文件是 {0}，导入的就是它；而 {2} 写的是 {1}：两次安装互相覆盖了，pip "
          "却以元数据为准"},
         {environment.torch_version, stale.version, stale.path},
         repair});
  }
}

}  // namespace

std::string torch_cuda(const PythonEnvironment& environment) {
  if (!environment.torch_cuda.empty()) return environment.torch_cuda;
  const Package* torch = environment.find("torch");
  return torch == nullptr ? "" : cuda_of(parse_version(torch->version).local);
}

bool lacks_cuda(const Snapshot& snapshot, const PythonEnvironment& environment) {
  const bool card = std::ranges::any_of(snapshot.gpus, of_nvidia) || !snapshot.driver.empty();
  return card && torch_cuda(environment).empty() && environment.torch_hip.empty() &&
         environment.cuda_available != true;
}

void examine_torch(const Snapshot& snapshot, const PythonEnvironment& environment,
                   const TorchPlan& plan, Diagnosis& diagnosis) {
  const Package* torch = environment.find("torch");
  if (torch == nullptr) return;
  examine_files(environment, plan, diagnosis);
  examine_driver(snapshot, environment, plan, *torch, diagnosis);
  examine_gpus(snapshot, environment, plan, *torch, diagnosis);
  examine_companions(environment, plan, *torch, diagnosis);
  examine_xformers(environment, plan, *torch, diagnosis);
  if (environment.cuda_available == false && !torch_cuda(environment).empty() &&
      std::ranges::any_of(snapshot.gpus, of_nvidia))
    diagnosis.findings.push_back(
        {"cuda-unavailable",
         Severity::kError,
         environment.path,
         {"torch has CUDA {0}, and there is {1}, but CUDA is not available: look at the driver "
          "({2}), "
          "CUDA_VISIBLE_DEVICES, and whether the container was given the GPU",
          "torch 带有 CUDA {0}，也有 {1}，但 CUDA 不可用：检查驱动（{2}）、CUDA_VISIBLE_DEVICES，"
          "以及容器是否挂载了 GPU"},
         {torch_cuda(environment), snapshot.gpus.front().name, snapshot.driver},
         {"nvidia-smi"}});
}

}  // namespace sinter::diagnose::environment
