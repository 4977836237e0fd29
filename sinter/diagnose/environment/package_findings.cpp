// Packages among each other, and what ONNX Runtime and TensorRT need.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "sinter/diagnose/environment/doctor.h"
#include "sinter/diagnose/environment/version.h"

namespace sinter::diagnose::environment {
namespace {

/// Packages of which a second install makes a different program run.
constexpr std::array kHeavy{
    "torch", "torchvision", "numpy",           "diffusers", "transformers",    "xformers",
    "onnx",  "onnxruntime", "onnxruntime-gpu", "protobuf",  "huggingface-hub", "tensorrt"};

constexpr std::array kRuntimes{"onnxruntime",          "onnxruntime-gpu", "onnxruntime-directml",
                               "onnxruntime-openvino", "ort-nightly",     "ort-nightly-gpu"};

/// The cuDNN that torch's packages come with.
int cudnn_of_torch(const Version& torch) { return satisfies(torch, ">=2.4") ? 9 : 8; }

/// Major versions of a library that the environment or the machine has.
std::set<int> majors(const Snapshot& snapshot, const PythonEnvironment& environment,
                     std::string_view name) {
  std::set<int> found;
  const auto add = [&](const std::vector<Library>& libraries) {
    for (const Library& library : libraries)
      if (library.name == name)
        if (const Version version = parse_version(library.version); version.known())
          found.insert(version.part(0));
  };
  add(environment.libraries);
  add(snapshot.libraries);
  for (const Package& package : environment.packages) {
    const bool runtime = name == "cudart" && package.name.starts_with("nvidia-cuda-runtime");
    const bool cudnn = name == "cudnn" && package.name.starts_with("nvidia-cudnn");
    if (runtime || cudnn) found.insert(parse_version(package.version).part(0));
  }
  // A report lists neither files nor NVIDIA's packages, but torch brings both libraries.
  const Package* torch = environment.find("torch");
  const int cuda = parse_version(torch_cuda(environment)).part(0);
  if (snapshot.pasted && torch != nullptr && cuda > 0)
    found.insert(name == "cudart" ? cuda : cudnn_of_torch(parse_version(torch->version)));
  return found;
}

std::string listed(const std::set<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

/// Says of the shared files as much as is known.
Text twins_text(const PythonEnvironment& environment) {
  const bool shared = !environment.overwritten.empty();
  const bool live = !environment.onnxruntime_package.empty();
  if (shared && live)
    return {
        "{0} are installed together and share {1} files ({2}, ...); those there now are of {3}. "
        "GPU providers vanish, and removing one breaks the other",
        "同时安装了 {0}，共用 {1} 个文件（{2} 等），目前的文件属于 {3}。GPU "
        "执行提供程序会消失，卸载一个会弄坏另一个"};
  if (shared)
    return {
        "{0} are installed together and share {1} files ({2}, ...). GPU providers vanish, and "
        "removing one breaks the other",
        "同时安装了 {0}，共用 {1} 个文件（{2} 等）。GPU "
        "执行提供程序会消失，卸载一个会弄坏另一个"};
  if (live)
    return {
        "{0} are installed together into the same folder onnxruntime; its files are now of "
        "{3}. GPU providers vanish, and removing one breaks the other",
        "同时安装了 {0}，都装进同一个 onnxruntime 文件夹，目前的文件属于 {3}。GPU "
        "执行提供程序会消失，卸载一个会弄坏另一个"};
  return {
      "{0} are installed together into the same folder onnxruntime: the one installed last has "
      "overwritten the other. GPU providers vanish, and removing one breaks the other",
      "同时安装了 {0}，都装进同一个 onnxruntime 文件夹：后装的覆盖了先装的。GPU "
      "执行提供程序会消失，卸载一个会弄坏另一个"};
}

void examine_twins(const PythonEnvironment& environment, Diagnosis& diagnosis) {
  std::vector<const Package*> runtimes;
  for (const char* name : kRuntimes)
    if (const Package* package = environment.find(name)) runtimes.push_back(package);
  if (runtimes.size() < 2) return;
  std::string names;
  std::string bare;
  for (const Package* package : runtimes) {
    names += fmt::format("{}{} {}", names.empty() ? "" : ", ", package->name, package->version);
    bare += " " + package->name;
  }
  const bool gpu = environment.find("onnxruntime-gpu") != nullptr;
  const Package* kept = gpu ? environment.find("onnxruntime-gpu") : runtimes.back();
  diagnosis.findings.push_back(
      {"onnxruntime-twice",
       Severity::kError,
       environment.path,
       twins_text(environment),
       {names, std::to_string(environment.overwritten.size()),
        environment.overwritten.empty() ? "" : environment.overwritten.front(),
        environment.onnxruntime_package},
       {pip(environment) + " uninstall -y" + bare,
        fmt::format("{} install \"{}=={}\"", pip(environment), kept->name, kept->version)}});
}

/// Brings what the CUDA provider is linked with: the package's own extras where it has them.
std::string cuda_packages(const PythonEnvironment& environment, const Version& runtime, int cuda) {
  if (satisfies(runtime, ">=1.21"))
    return pip(environment) + " install \"onnxruntime-gpu[cuda,cudnn]\"";
  const std::string_view cudnn = satisfies(runtime, ">=1.19") ? "" : "\"";
  return fmt::format(
      "{0} install nvidia-cuda-runtime-cu{1} nvidia-cublas-cu{1} nvidia-cufft-cu{1} "
      "{2}nvidia-cudnn-cu{1}{3}",
      pip(environment), cuda, cudnn, cudnn.empty() ? "" : "<9\"");
}

/// The releases of onnxruntime-gpu that were built with an older CUDA than that: "<1.27".
std::string releases_before(int cuda) {
  std::string end;
  for (const OnnxRuntimeBuild& row : onnxruntime_builds())
    if (row.cuda < cuda) end = row.versions.substr(row.versions.find('<'));
  return end;
}

/// Whether the driver takes that CUDA; nothing where there is none to ask.
void judge_driver(const Snapshot& snapshot, const PythonEnvironment& environment,
                  const std::string& what, int cuda, const std::string& repair,
                  Diagnosis& diagnosis) {
  const auto minimum = std::ranges::find(driver_minimums(), cuda, &DriverMinimum::cuda_major);
  if (snapshot.driver.empty() || minimum == driver_minimums().end()) return;
  const bool fits = parse_version(snapshot.driver).part(0) >= minimum->driver;
  diagnosis.verdicts.push_back(
      {environment.path,
       what,
       "driver " + snapshot.driver,
       fits,
       fmt::format("driver >={}", minimum->driver),
       {"it is built with CUDA of that major version", "它是用该主版本的 CUDA 构建的"},
       minimum->source});
  if (fits) return;
  diagnosis.findings.push_back(
      {"cuda-driver",
       Severity::kError,
       environment.path,
       {"{0} is built with CUDA {1} and needs driver {2} or newer; this is {3}",
        "{0} 用 CUDA {1} 构建，需要驱动 {2} 以上；当前驱动是 {3}"},
       {what, std::to_string(cuda), std::to_string(minimum->driver), snapshot.driver},
       {repair}});
}

void examine_tensorrt(const Snapshot& snapshot, const PythonEnvironment& environment,
                      Diagnosis& diagnosis) {
  for (const int cuda : {11, 12, 13})
    if (const Package* build = environment.find(fmt::format("tensorrt-cu{}", cuda)))
      judge_driver(snapshot, environment, fmt::format("{} {}", build->name, build->version), cuda,
                   fmt::format("{} install tensorrt-cu{}", pip(environment), cuda - 1), diagnosis);
  const Package* tensorrt = environment.find("tensorrt");
  if (tensorrt == nullptr) return;
  const Version version = parse_version(tensorrt->version);
  std::set<std::string> judged;
  for (const Gpu& gpu : snapshot.gpus) {
    if (!judged.insert(gpu.name).second) continue;
    const Version capability = parse_version(
        gpu.compute_capability.empty() ? capability_of(gpu.name) : gpu.compute_capability);
    const auto row =
        std::ranges::find_if(least_capabilities(), [&](const LeastCapability& candidate) {
          return candidate.package == "tensorrt" && satisfies(version, candidate.versions);
        });
    if (!capability.known() || row == least_capabilities().end()) continue;
    const bool fits = compare(capability, parse_version(row->capability)) >= 0;
    diagnosis.verdicts.push_back({environment.path,
                                  "tensorrt " + tensorrt->version,
                                  gpu.name,
                                  fits,
                                  fmt::format("compute capability >={}", row->capability),
                                  {"each TensorRT has kernels for certain GPU generations",
                                   "每个 TensorRT 版本只支持特定的 GPU 架构"},
                                  row->source});
    if (fits) continue;
    diagnosis.findings.push_back(
        {"tensorrt-gpu",
         Severity::kError,
         environment.path,
         {"TensorRT {0} no longer supports {1}: it needs compute capability {2} or more",
          "TensorRT {0} 不再支持 {1}：需要计算能力 {2} 以上"},
         {tensorrt->version, gpu.name, std::string(row->capability)},
         {fmt::format("{} install \"tensorrt{}\"", pip(environment),
                      row->capability == "7.5" && compare(capability, parse_version("7.0")) >= 0
                          ? "<10.5"
                          : "<10")}});
  }
}

constexpr Text kOtherThere{
    "onnxruntime-gpu {0} needs {1} {2}; found: {3}. It falls back to the CPU with \"Failed to "
    "create CUDAExecutionProvider\"",
    "onnxruntime-gpu {0} 需要 {1} {2}，找到的是：{3}。它会报 \"Failed to create "
    "CUDAExecutionProvider\" 并退回 CPU"};
constexpr Text kNotThere{
    "onnxruntime-gpu {0} needs {1} {2}, and none was found. It falls back to the CPU with \"Failed "
    "to create CUDAExecutionProvider\"",
    "onnxruntime-gpu {0} 需要 {1} {2}，但没有找到。它会报 \"Failed to create "
    "CUDAExecutionProvider\" 并退回 CPU"};

/// What would bring the library that is missing: a release for the CUDA that is there, else the
/// library.
std::string provider_repair(const Snapshot& snapshot, const PythonEnvironment& environment,
                            const Version& runtime, int cuda) {
  const std::set<int> cudart = majors(snapshot, environment, "cudart");
  const std::set<int> cudnn = majors(snapshot, environment, "cudnn");
  std::string first;
  std::string end;
  for (const OnnxRuntimeBuild& row : onnxruntime_builds()) {
    if (!cudart.contains(row.cuda) || !cudnn.contains(row.cudnn)) continue;
    const std::size_t comma = row.versions.find(',');
    if (first.empty()) first = row.versions.substr(0, comma);
    end = comma == row.versions.npos ? "" : row.versions.substr(comma);
  }
  if (first.empty()) return cuda_packages(environment, runtime, cuda);
  return fmt::format("{} install \"onnxruntime-gpu{}{}\"", pip(environment), first, end);
}

/// The libraries that the CUDA provider is linked with.
void examine_libraries(const Snapshot& snapshot, const PythonEnvironment& environment,
                       const Package& runtime, const OnnxRuntimeBuild& build, int cuda,
                       Diagnosis& diagnosis) {
  struct Need {
    std::string_view library;
    std::string_view title;
    int major;
  };
  for (const Need& need : {Need{"cudart", "CUDA", cuda}, Need{"cudnn", "cuDNN", build.cudnn}}) {
    const std::set<int> there = majors(snapshot, environment, need.library);
    if (there.empty() && snapshot.pasted) continue;
    const bool fits = there.contains(need.major);
    diagnosis.verdicts.push_back(
        {environment.path,
         "onnxruntime-gpu " + runtime.version,
         there.empty() ? fmt::format("no {}", need.title)
                       : fmt::format("{} {}", need.title, listed(there)),
         fits,
         fmt::format("{} {}", need.title, need.major),
         {"its CUDA provider is linked with that major version", "其 CUDA 提供程序按该主版本链接"},
         build.source});
    if (fits) continue;
    diagnosis.findings.push_back(
        {"onnxruntime-cuda",
         Severity::kError,
         environment.path,
         there.empty() ? kNotThere : kOtherThere,
         {runtime.version, std::string(need.title), std::to_string(need.major), listed(there)},
         {provider_repair(snapshot, environment, parse_version(runtime.version), cuda)}});
  }
}

void examine_provider(const Snapshot& snapshot, const PythonEnvironment& environment,
                      Diagnosis& diagnosis) {
  const Package* runtime = environment.find("onnxruntime-gpu");
  if (runtime == nullptr) return;
  const Version version = parse_version(runtime->version);
  const auto build = std::ranges::find_if(onnxruntime_builds(), [&](const OnnxRuntimeBuild& row) {
    return version.known() && satisfies(version, row.versions);
  });
  if (build == onnxruntime_builds().end()) return;
  int cuda = build->cuda;
  if (const Version own = parse_version(environment.onnxruntime_cuda); own.known())
    cuda = own.part(0);
  judge_driver(
      snapshot, environment, "onnxruntime-gpu " + runtime->version, cuda,
      fmt::format("{} install \"onnxruntime-gpu{}\"", pip(environment), releases_before(cuda)),
      diagnosis);
  examine_libraries(snapshot, environment, *runtime, *build, cuda, diagnosis);
  const Package* tensorrt = environment.find("tensorrt");
  if (tensorrt == nullptr || build->tensorrt.empty()) return;
  const bool fits = satisfies(parse_version(tensorrt->version), build->tensorrt);
  diagnosis.verdicts.push_back(
      {environment.path,
       "onnxruntime-gpu " + runtime->version,
       "tensorrt " + tensorrt->version,
       fits,
       fmt::format("tensorrt {}", build->tensorrt),
       {"its TensorRT provider is linked with that version", "其 TensorRT 提供程序按该版本链接"},
       build->source});
  if (!fits)
    diagnosis.findings.push_back(
        {"onnxruntime-tensorrt",
         Severity::kWarning,
         environment.path,
         {"the TensorRT provider of onnxruntime-gpu {0} is linked with TensorRT {1}; {2} is "
          "installed",
          "onnxruntime-gpu {0} 的 TensorRT 提供程序链接的是 TensorRT {1}，安装的是 {2}"},
         {runtime->version, std::string(build->tensorrt), tensorrt->version},
         {fmt::format("{} install \"tensorrt{}\"", pip(environment), build->tensorrt)}});
}

/// Libraries on LD_LIBRARY_PATH come before those that torch brought.
void examine_shadows(const Snapshot& snapshot, const PythonEnvironment& environment,
                     Diagnosis& diagnosis) {
  const auto path = snapshot.variables.find("LD_LIBRARY_PATH");
  if (path == snapshot.variables.end()) return;
  for (const Library& own : environment.libraries) {
    const Version version = parse_version(own.version);
    for (const Library& other : snapshot.libraries) {
      const std::string folder = other.path.substr(0, other.path.find_last_of('/'));
      if (other.name != own.name || path->second.find(folder) == path->second.npos) continue;
      const Version shadow = parse_version(other.version);
      if (!version.known() || !shadow.known() || shadow.part(0) != version.part(0) ||
          shadow.release.size() < 2 || compare(shadow, version) >= 0)
        continue;
      diagnosis.findings.push_back({"library-shadow",
                                    Severity::kWarning,
                                    environment.path,
                                    {"LD_LIBRARY_PATH puts {0} {1} ({2}) before the newer {3} that "
                                     "torch brought: \"undefined symbol\" or "
                                     "CUDNN_STATUS_NOT_INITIALIZED",
                                     "LD_LIBRARY_PATH 让 {0} {1}（{2}）排在 torch 自带的较新版本 "
                                     "{3} 之前：会报 \"undefined symbol\" 或 "
                                     "CUDNN_STATUS_NOT_INITIALIZED"},
                                    {own.name, other.version, other.path, own.version},
                                    {"unset LD_LIBRARY_PATH"}});
    }
  }
}

void examine_duplicates(const PythonEnvironment& environment, const TorchPlan& plan,
                        Diagnosis& diagnosis) {
  for (const char* name : kHeavy) {
    std::string places;
    std::size_t count = 0;
    for (const Package& package : environment.packages) {
      if (package.name != name || package.site.empty() || package.site == "pip" ||
          package.site == "conda")
        continue;
      ++count;
      places +=
          fmt::format("{}{} in {}", places.empty() ? "" : ", ", package.version, package.site);
    }
    if (count < 2) continue;
    // The copy that is imported goes; the other is then brought to what the first was.
    std::vector<std::string> repair{fmt::format("{} uninstall -y {}", pip(environment), name)};
    const bool planned = of_torch_family(name) && plan.broken.contains(name);
    if (planned) repair.insert(repair.end(), plan.commands.begin(), plan.commands.end());
    if (!planned)
      repair.push_back(fmt::format("{} install \"{}=={}\"{}", pip(environment), name,
                                   environment.find(name)->version,
                                   of_torch_family(name) ? plan.index : ""));
    diagnosis.findings.push_back({"duplicate-package",
                                  Severity::kWarning,
                                  environment.path,
                                  {"{0} is installed {1} times: {2}; the first one is imported",
                                   "{0} 安装了 {1} 份：{2}；导入的是第一份"},
                                  {name, std::to_string(count), places},
                                  repair});
  }
}

/// What puts a pair right. torch is not changed for a package that hangs on it, and what is
/// compiled for torch follows the plan.
std::vector<std::string> pair_repair(const PythonEnvironment& environment, const TorchPlan& plan,
                                     const Verdict& verdict) {
  const std::string left = verdict.left.substr(0, verdict.left.find(' '));
  const std::size_t blank = verdict.needs.find(' ');
  const std::string name = verdict.needs.substr(0, blank);
  std::string specifiers = verdict.needs.substr(blank + 1);
  std::erase(specifiers, ' ');
  if (plan.broken.contains(left) || plan.broken.contains(name)) {
    const bool within = of_torch_family(left) && of_torch_family(name);
    // Another torch may no longer ask for it.
    const Version torch = parse_version(plan.release.substr(0, plan.release.find(".*")));
    const bool asked = std::ranges::any_of(pair_rules(), [&](const PairRule& rule) {
      return rule.left == "torch" && rule.right == name && satisfies(torch, rule.when);
    });
    if (within || (left == "torch" && !asked)) return plan.commands;
  }
  if (name == "torch")
    return {fmt::format("{} install {} {}{}", pip(environment), planned_torch(plan), left,
                        plan.extra_index)};
  return {fmt::format("{} install \"{}{}\"", pip(environment), name, specifiers)};
}

/// Metadata of an older installation beside that of the files.
void examine_metadata(const PythonEnvironment& environment, Diagnosis& diagnosis) {
  for (const StaleMetadata& stale : environment.stale) {
    if (stale.name == "torch") continue;  // judged with torch
    const Package* package = environment.find(stale.name);
    diagnosis.findings.push_back(
        {"stale-metadata",
         Severity::kWarning,
         environment.path,
         {"{0} is listed twice in one folder: its files are {1}, and {3} still says {2}; pip and "
          "programs that ask for the version may be told the old one",
          "{0} 在同一个文件夹里登记了两次：文件是 {1}，而 {3} 仍写着 {2}；pip "
          "和查询版本的程序可能得到旧的版本号"},
         {stale.name, package == nullptr ? "" : package->version, stale.version, stale.path},
         {remove_folder(environment, stale.path)}});
  }
}

}  // namespace

void examine_onnxruntime(const Snapshot& snapshot, const PythonEnvironment& environment,
                         Diagnosis& diagnosis) {
  examine_twins(environment, diagnosis);
  examine_provider(snapshot, environment, diagnosis);
  examine_tensorrt(snapshot, environment, diagnosis);
  examine_shadows(snapshot, environment, diagnosis);
  const Opsets opset = opsets(environment);
  if (opset.torch > 0 && opset.onnxruntime > 0 && opset.torch > opset.onnxruntime)
    diagnosis.findings.push_back({"opset",
                                  Severity::kNote,
                                  environment.path,
                                  {"torch can export opset {0}, onnxruntime runs up to {1}: export "
                                   "with opset_version={1} or less (17 suits "
                                   "every TensorRT since 8.6)",
                                   "torch 可导出到 opset {0}，而 onnxruntime 只支持到 {1}：导出时 "
                                   "opset_version 取 {1} 或更低（17 适合 "
                                   "8.6 以来的所有 TensorRT）"},
                                  {std::to_string(opset.torch), std::to_string(opset.onnxruntime)},
                                  {}});
}

void examine_packages(const PythonEnvironment& environment, const TorchPlan& plan,
                      Diagnosis& diagnosis) {
  for (const Verdict& verdict : package_verdicts(environment)) {
    diagnosis.verdicts.push_back(verdict);
    if (verdict.fits != false) continue;
    const bool twice = verdict.left.starts_with("xformers ") && !environment.xformers_torch.empty();
    if (twice) continue;  // its compiled part has been judged already
    diagnosis.findings.push_back(
        {"version-pair",
         Severity::kError,
         environment.path,
         {"{0} needs {1}, but {2} is installed{3}", "{0} 需要 {1}，而安装的是 {2}{4}"},
         {verdict.left, verdict.needs, verdict.right,
          verdict.why.english.empty() ? "" : fmt::format(": {}", verdict.why.english),
          verdict.why.chinese.empty() ? "" : fmt::format("：{}", verdict.why.chinese)},
         pair_repair(environment, plan, verdict)});
  }
  examine_duplicates(environment, plan, diagnosis);
  examine_metadata(environment, diagnosis);
  for (const std::string& leftover : environment.leftovers)
    diagnosis.findings.push_back(
        {"broken-install",
         Severity::kWarning,
         environment.path,
         {"an installation broke off and left {0} (\"Ignoring invalid distribution\")",
          "某次安装中断，留下了 {0}（会提示 \"Ignoring invalid distribution\"）"},
         {leftover},
         {remove_folder(environment, leftover)}});
}

}  // namespace sinter::diagnose::environment
