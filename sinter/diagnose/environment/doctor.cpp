#include "sinter/diagnose/environment/doctor.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sinter/diagnose/environment/collect.h"
#include "sinter/diagnose/environment/version.h"

namespace sinter::diagnose::environment {
namespace {

constexpr double kLittleDisk = 10e9;  // bytes: one SDXL checkpoint and its graphs

bool ascii(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string variable(const Snapshot& snapshot, const std::string& name) {
  const auto found = snapshot.variables.find(name);
  return found == snapshot.variables.end() ? "" : found->second;
}

/// The locale's encoding is UTF-8, or Python has been told to use it.
bool utf8_locale(const Snapshot& snapshot) {
  if (variable(snapshot, "PYTHONUTF8") == "1") return true;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value = variable(snapshot, name);
    if (value.empty()) continue;
    std::ranges::transform(value, value.begin(), [](char c) {
      return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    });
    return value.find("utf-8") != value.npos || value.find("utf8") != value.npos;
  }
  return true;  // the C locale: Python reads and writes UTF-8 there since 3.7
}

void examine_place(const PythonEnvironment& environment, std::vector<Finding>& findings) {
  if (!ascii(environment.path) || environment.path.find(' ') != environment.path.npos)
    findings.push_back({"path-encoding",
                        Severity::kWarning,
                        environment.path,
                        {"the path has characters outside ASCII or blanks: compilers of kernels "
                         "(triton, ninja, nvcc) "
                         "and some loaders on Windows stumble over them",
                         "路径含有非 ASCII 字符或空格：编译内核的工具（triton、ninja、nvcc）和 "
                         "Windows 上的部分加载器会出错"},
                        {},
                        {"python -m venv /path/without/blanks/venv"}});
  if (environment.free_bytes && static_cast<double>(*environment.free_bytes) < kLittleDisk)
    findings.push_back(
        {"disk-space",
         Severity::kWarning,
         environment.path,
         {"only {0} GB are free on its disk; a checkpoint with its graphs takes 10 and more",
          "所在磁盘只剩 {0} GB；一个检查点加上导出的图就要 10 GB 以上"},
         {fmt::format("{:.1f}", static_cast<double>(*environment.free_bytes) / 1e9)},
         {pip(environment) + " cache purge"}});
}

}  // namespace

std::string_view severity_name(Severity severity) {
  static constexpr std::array kNames{"error", "warning", "note"};
  return kNames[static_cast<std::size_t>(severity)];
}

std::string Finding::message(Language language) const {
  fmt::dynamic_format_arg_store<fmt::format_context> arguments;
  for (const std::string& value : values) arguments.push_back(value);
  return fmt::vformat(text.in(language), arguments);
}

bool Diagnosis::sound() const {
  return std::ranges::none_of(
      findings, [](const Finding& finding) { return finding.severity != Severity::kNote; });
}

std::string pip(const PythonEnvironment& environment) {
  return (environment.executable.empty() ? "python" : environment.executable) + " -m pip";
}

std::string remove_folder(const PythonEnvironment& environment, const std::string& path) {
  const bool windows = environment.executable.ends_with(".exe");
  return fmt::format("{} \"{}\"", windows ? "rmdir /s /q" : "rm -r", path);
}

std::vector<std::string> attention_backends(const PythonEnvironment& environment) {
  std::vector<std::string> backends;
  const Package* torch = environment.find("torch");
  if (torch != nullptr && satisfies(parse_version(torch->version), ">=2.0"))
    backends.emplace_back("sdpa");
  for (const char* name : {"xformers", "flash-attn", "sageattention"})
    if (environment.find(name) != nullptr) backends.emplace_back(name);
  return backends;
}

Opsets opsets(const PythonEnvironment& environment) {
  Opsets found{environment.torch_opset, environment.onnx_opset, 0};
  const auto known = [&](const char* package, const char* row, int& opset) {
    const Package* installed = environment.find(package);
    if (opset == 0 && installed != nullptr) opset = highest_opset(row, installed->version);
  };
  known("torch", "torch", found.torch);
  known("onnx", "onnx", found.onnx);
  for (const char* name : {"onnxruntime-gpu", "onnxruntime-directml", "onnxruntime"})
    known(name, "onnxruntime", found.onnxruntime);
  return found;
}

void examine_machine(const Snapshot& snapshot, std::vector<Finding>& findings) {
  if (snapshot.driver.empty() && !snapshot.pasted && snapshot.gpus.empty())
    findings.push_back(
        {"no-driver",
         Severity::kNote,
         "",
         {"no NVIDIA driver was found: everything runs on the CPU, or on another maker's GPU",
          "没有找到 NVIDIA 驱动：只能用 CPU，或使用其他厂商的 GPU"},
         {},
         {}});
  if (!snapshot.driver.empty() && !snapshot.library_driver.empty() &&
      compare(parse_version(snapshot.driver), parse_version(snapshot.library_driver)) != 0)
    findings.push_back({"driver-library",
                        Severity::kError,
                        "",
                        {"the kernel has driver {0}, but libcuda is of {1}: CUDA does not start "
                         "until they are the same",
                         "内核里的驱动是 {0}，而 libcuda 属于 {1}：两者一致之前 CUDA 无法启动"},
                        {snapshot.driver, snapshot.library_driver},
                        {"sudo reboot"}});
  if (variable(snapshot, "CUDA_VISIBLE_DEVICES") == "-1" ||
      (snapshot.variables.contains("CUDA_VISIBLE_DEVICES") &&
       variable(snapshot, "CUDA_VISIBLE_DEVICES").empty()))
    findings.push_back(
        {"devices-hidden",
         Severity::kWarning,
         "",
         {"CUDA_VISIBLE_DEVICES hides every GPU", "CUDA_VISIBLE_DEVICES 隐藏了所有 GPU"},
         {},
         {"unset CUDA_VISIBLE_DEVICES"}});
  if (!utf8_locale(snapshot))
    findings.push_back(
        {"locale",
         Severity::kWarning,
         "",
         {"the locale is not UTF-8: prompts and file names outside ASCII fail or are garbled",
          "区域设置不是 UTF-8：非 ASCII 的提示词和文件名会报错或乱码"},
         {},
         {"export PYTHONUTF8=1"}});
}

Diagnosis examine(const Snapshot& snapshot) {
  Diagnosis diagnosis;
  examine_machine(snapshot, diagnosis.findings);
  for (const PythonEnvironment& environment : snapshot.environments) {
    const TorchPlan plan = plan_torch(snapshot, environment);
    examine_torch(snapshot, environment, plan, diagnosis);
    examine_onnxruntime(snapshot, environment, diagnosis);
    examine_packages(environment, plan, diagnosis);
    if (environment.find("torch") != nullptr || environment.find("onnxruntime") != nullptr)
      examine_place(environment, diagnosis.findings);
  }
  std::ranges::stable_sort(diagnosis.findings, {}, &Finding::severity);
  return diagnosis;
}

}  // namespace sinter::diagnose::environment
