// What torch needs: the driver, the GPU, and the packages compiled for it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "sinter/diagnose/environment/collect.h"
#include "sinter/diagnose/environment/doctor.h"
#include "sinter/diagnose/environment/version.h"

namespace sinter::diagnose::environment {
namespace {

constexpr std::string_view kIndex = "https://download.pytorch.org/whl/";

/// "cu121" -> "12.1".
std::string cuda_of(const std::string& tag) {
  if (tag.size() < 4 || !tag.starts_with("cu")) return {};
  return tag.substr(2, tag.size() - 3) + "." + tag.back();
}

bool runs_on(std::string_view cuda, const Snapshot& snapshot) {
  if (snapshot.cuda_supported.empty()) return true;
  const int major = parse_version(cuda).part(0);
  return compare(parse_version(cuda), parse_version(snapshot.cuda_supported)) <= 0 ||
         major <= parse_version(snapshot.cuda_supported).part(0);
}

/// The newest build of that torch that the driver and the GPU take, or "cu118" for want of better.
std::string fitting_tag(const Snapshot& snapshot, const std::string& torch_version) {
  std::string_view known = cuda_builds(torch_version);
  std::istringstream tags{std::string(known.empty() ? "cu118 cu126 cu128 cu130" : known)};
  std::string best;
  for (std::string tag; tags >> tag;)
    if (best.empty() || runs_on(cuda_of(tag), snapshot)) best = tag;
  return best;
}

std::string install(const Snapshot& snapshot, const PythonEnvironment& environment) {
  std::string packages = "torch";
  for (const char* name : {"torchvision", "torchaudio"})
    if (environment.find(name) != nullptr) packages += std::string(" ") + name;
  const Package* torch = environment.find("torch");
  return fmt::format("{} install --upgrade --force-reinstall {} --index-url {}{}", pip(environment),
                     packages, kIndex,
                     fitting_tag(snapshot, torch == nullptr ? "" : torch->version));
}

bool of_nvidia(const Gpu& gpu) {
  return std::ranges::none_of(std::array{"AMD", "Intel", "Apple", "Radeon"},
                              [&](const char* maker) { return gpu.name.starts_with(maker); });
}

void examine_driver(const Snapshot& snapshot, const PythonEnvironment& environment,
                    const Package& torch, Diagnosis& diagnosis) {
  const std::string cuda = torch_cuda(environment);
  if (cuda.empty()) {
    const bool card = std::ranges::any_of(snapshot.gpus, of_nvidia) || !snapshot.driver.empty();
    if (card && environment.torch_hip.empty() && (environment.cuda_available != true))
      diagnosis.findings.push_back({"torch-cpu",
                                    Severity::kError,
                                    environment.path,
                                    {"torch {0} is built without CUDA, although there is an NVIDIA "
                                     "GPU: \"Torch not compiled with "
                                     "CUDA enabled\"",
                                     "有 NVIDIA GPU，但 torch {0} 是不带 CUDA 的版本：会报 \"Torch "
                                     "not compiled with CUDA enabled\""},
                                    {torch.version},
                                    {install(snapshot, environment)}});
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
       {install(snapshot, environment)}});
}

/// "8.6" -> "86".
std::string sm(std::string capability) {
  std::erase(capability, '.');
  return capability;
}

/// Why a build of torch has no kernels for a GPU, or that it has.
struct GpuVerdict {
  bool fits = true;
  bool late = false;  // the GPU is too old for it
  std::string needs;
  std::string_view source;
};

GpuVerdict judge_gpu(const GpuGeneration& generation, const Version& torch, const Version& cuda) {
  const Version capability = parse_version(generation.capability);
  if (compare(cuda, parse_version(generation.first_cuda)) < 0)
    return {false, false, fmt::format("CUDA >={}", generation.first_cuda), generation.source};
  if (!generation.end_cuda.empty() && compare(cuda, parse_version(generation.end_cuda)) >= 0)
    return {false, true, fmt::format("CUDA <{}", generation.end_cuda), generation.source};
  for (const LeastCapability& row : least_capabilities())
    if (row.package == "torch" && satisfies(torch, row.versions) && satisfies(cuda, row.cuda) &&
        compare(capability, parse_version(row.capability)) < 0)
      return {false, true, fmt::format("compute capability >={}", row.capability), row.source};
  return {true, false, fmt::format("CUDA >={}", generation.first_cuda), generation.source};
}

void examine_gpus(const Snapshot& snapshot, const PythonEnvironment& environment,
                  const Package& torch, Diagnosis& diagnosis) {
  const Version cuda = parse_version(torch_cuda(environment));
  if (!cuda.known()) return;
  std::set<std::string> judged;
  for (const Gpu& gpu : snapshot.gpus) {
    if (!judged.insert(gpu.name).second) continue;
    const std::string capability = gpu.compute_capability.empty()
                                       ? std::string(capability_of(gpu.name))
                                       : gpu.compute_capability;
    const auto generation =
        std::ranges::find(gpu_generations(), capability, &GpuGeneration::capability);
    if (generation == gpu_generations().end()) continue;
    const GpuVerdict verdict = judge_gpu(*generation, parse_version(torch.version), cuda);
    diagnosis.verdicts.push_back(
        {environment.path,
         fmt::format("torch {} (CUDA {})", torch.version, torch_cuda(environment)),
         fmt::format("{} (sm_{})", gpu.name, sm(capability)),
         verdict.fits,
         verdict.needs,
         {"each build of torch holds kernels for certain GPU generations",
          "每个 torch 构建只包含特定 GPU 架构的内核"},
         verdict.source});
    if (verdict.fits) continue;
    const std::string tag = verdict.late ? "cu126" : fitting_tag(snapshot, "");
    diagnosis.findings.push_back(
        {"torch-gpu",
         Severity::kError,
         environment.path,
         {"{0} is {1} (compute capability {2}); torch {3} with CUDA {4} has no kernels for it: "
          "\"no kernel image is available for execution on the device\"",
          "{0} 属于 {1}（计算能力 {2}），带 CUDA {4} 的 torch {3} 没有它的内核：会报 \"no kernel "
          "image is available for execution on the device\""},
         {gpu.name, std::string(generation->name), capability, torch.version,
          torch_cuda(environment)},
         {fmt::format("{} install --upgrade torch torchvision --index-url {}{}", pip(environment),
                      kIndex, tag)}});
  }
}

/// torchvision and torchaudio of another CUDA than torch.
void examine_companions(const PythonEnvironment& environment, const Package& torch,
                        const Snapshot& snapshot, Diagnosis& diagnosis) {
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
         {install(snapshot, environment)}});
  }
}

void examine_xformers(const PythonEnvironment& environment, const Package& torch,
                      Diagnosis& diagnosis) {
  const Package* xformers = environment.find("xformers");
  if (xformers == nullptr || environment.xformers_torch.empty()) return;
  const Version built = parse_version(environment.xformers_torch);
  const Version here =
      parse_version(environment.torch_version.empty() ? torch.version : environment.torch_version);
  const bool stable =
      satisfies(parse_version(xformers->version), ">=0.0.34") && compare(here, built) >= 0;
  const bool fits =
      stable || (compare(built, here) == 0 &&
                 (built.local.empty() || here.local.empty() || built.local == here.local));
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
       {xformers->version, environment.xformers_torch, here.known() ? torch.version : ""},
       {pip(environment) + " uninstall -y xformers",
        pip(environment) + " install xformers --no-deps"}});
}

}  // namespace

std::string torch_cuda(const PythonEnvironment& environment) {
  if (!environment.torch_cuda.empty()) return environment.torch_cuda;
  const Package* torch = environment.find("torch");
  return torch == nullptr ? "" : cuda_of(parse_version(torch->version).local);
}

void examine_torch(const Snapshot& snapshot, const PythonEnvironment& environment,
                   Diagnosis& diagnosis) {
  const Package* torch = environment.find("torch");
  if (torch == nullptr) return;
  examine_driver(snapshot, environment, *torch, diagnosis);
  examine_gpus(snapshot, environment, *torch, diagnosis);
  examine_companions(environment, *torch, snapshot, diagnosis);
  examine_xformers(environment, *torch, diagnosis);
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
  const Version files = parse_version(environment.torch_version);
  const Version metadata = parse_version(torch->version);
  if (!snapshot.pasted && files.known() && metadata.known() && compare(files, metadata) != 0)
    diagnosis.findings.push_back(
        {"torch-files",
         Severity::kError,
         environment.path,
         {"the files of torch are {0}, its metadata says {1}: one installation was written over "
          "another",
          "torch 的文件是 {0}，元数据却是 {1}：两次安装互相覆盖了"},
         {environment.torch_version, torch->version},
         {pip(environment) + " uninstall -y torch", install(snapshot, environment)}});
}

}  // namespace sinter::diagnose::environment
