#include "sinter/cli/doctor_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "sinter/cli/text.h"

namespace sinter::cli {
using Json = nlohmann::ordered_json;
using diagnose::Language;
using diagnose::Text;
namespace environment = diagnose::environment;
namespace {

/// Packages that are shown.
constexpr std::array kShown{"torch",
                            "torchvision",
                            "torchaudio",
                            "xformers",
                            "flash-attn",
                            "triton",
                            "diffusers",
                            "transformers",
                            "accelerate",
                            "huggingface-hub",
                            "safetensors",
                            "numpy",
                            "protobuf",
                            "onnx",
                            "onnxruntime",
                            "onnxruntime-gpu",
                            "onnxruntime-directml",
                            "tensorrt",
                            "torch-tensorrt"};

Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
Json or_null(int number) { return number == 0 ? Json(nullptr) : Json(number); }

Json libraries_json(const std::vector<environment::Library>& libraries) {
  Json json = Json::array();
  for (const environment::Library& library : libraries)
    json.push_back({{"name", library.name}, {"version", library.version}, {"path", library.path}});
  return json;
}

Json machine_json(const environment::Snapshot& snapshot) {
  Json json{{"system", or_null(snapshot.system)},
            {"driver", or_null(snapshot.driver)},
            {"cuda_supported", or_null(snapshot.cuda_supported)},
            {"gpus", Json::array()},
            {"libraries", libraries_json(snapshot.libraries)},
            {"variables", Json::object()}};
  for (const environment::Gpu& gpu : snapshot.gpus)
    json["gpus"].push_back({{"name", gpu.name},
                            {"memory_mb", gpu.memory_mb},
                            {"compute_capability", or_null(gpu.compute_capability)}});
  for (const auto& [name, value] : snapshot.variables) json["variables"][name] = value;
  return json;
}

Json environment_json(const environment::PythonEnvironment& python) {
  const environment::Opsets opset = environment::opsets(python);
  Json json{{"path", python.path},
            {"python", or_null(python.python)},
            {"torch_cuda", or_null(environment::torch_cuda(python))},
            {"torch_path", or_null(python.torch_path)},
            {"packages", Json::object()},
            {"libraries", libraries_json(python.libraries)},
            {"attention", environment::attention_backends(python)},
            {"opset",
             {{"torch", or_null(opset.torch)},
              {"onnx", or_null(opset.onnx)},
              {"onnxruntime", or_null(opset.onnxruntime)}}},
            {"free_bytes", python.free_bytes ? Json(*python.free_bytes) : Json(nullptr)}};
  for (const char* name : kShown)
    if (const environment::Package* package = python.find(name))
      json["packages"][name] = package->version;
  return json;
}

/// Environments that have nothing to do with pictures are counted only.
bool shown(const environment::PythonEnvironment& python) {
  return std::ranges::any_of(
      std::array{"torch", "onnxruntime", "onnxruntime-gpu", "onnx", "tensorrt", "diffusers"},
      [&](const char* name) { return python.find(name) != nullptr; });
}

void print_machine(const environment::Snapshot& snapshot, bool chinese) {
  if (!snapshot.system.empty())
    fmt::print("{}{}\n", chinese ? "系统：" : "system: ", snapshot.system);
  for (const environment::Gpu& gpu : snapshot.gpus)
    fmt::print("GPU: {}{}{}\n", gpu.name,
               gpu.memory_mb > 0 ? fmt::format(", {} MB", gpu.memory_mb) : "",
               gpu.compute_capability.empty()
                   ? ""
                   : fmt::format(", {} {}", chinese ? "计算能力" : "compute capability",
                                 gpu.compute_capability));
  if (!snapshot.driver.empty())
    fmt::print("{} {}{}{} CUDA {}\n", chinese ? "驱动" : "driver", snapshot.driver,
               chinese ? "，" : ", ", chinese ? "最高支持" : "supports up to",
               snapshot.cuda_supported);
  for (const environment::Library& library : snapshot.libraries)
    fmt::print("{} {}  {}\n", library.name, library.version, library.path);
}

void print_environment(const environment::PythonEnvironment& python, bool chinese) {
  fmt::print("\n{}{}\n", python.path,
             python.python.empty() ? "" : fmt::format(" (Python {})", python.python));
  std::string line;
  for (const char* name : kShown) {
    const environment::Package* package = python.find(name);
    if (package == nullptr) continue;
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ", name, package->version);
    if (std::string_view(name) == "torch")
      line += !python.torch_hip.empty() ? fmt::format(" (ROCm {})", python.torch_hip)
              : environment::torch_cuda(python).empty()
                  ? (chinese ? "（无 CUDA）" : " (no CUDA)")
                  : fmt::format(" (CUDA {})", environment::torch_cuda(python));
  }
  if (!line.empty()) fmt::print("  {}\n", line);
  const environment::Opsets opset = environment::opsets(python);
  std::string opsets;
  for (const auto& [name, value] : {std::pair("torch", opset.torch), std::pair("onnx", opset.onnx),
                                    std::pair("onnxruntime", opset.onnxruntime)})
    if (value > 0) opsets += fmt::format("{}{} {}", opsets.empty() ? "" : ", ", name, value);
  if (!opsets.empty()) fmt::print("  opset: {}\n", opsets);
  std::string attention;
  for (const std::string& name : environment::attention_backends(python))
    attention += (attention.empty() ? "" : ", ") + name;
  if (!attention.empty())
    fmt::print("  {}{}\n", chinese ? "注意力后端：" : "attention: ", attention);
  if (python.free_bytes)
    fmt::print("  {}{}\n",
               chinese ? "磁盘剩余：" : "free on its disk: ", human_bytes(*python.free_bytes));
}

/// A pair of packages, or of one and the machine, that is shown: not every small library.
bool shown(const environment::Verdict& verdict, const environment::PythonEnvironment& python) {
  const std::string right = verdict.right.substr(0, verdict.right.find(' '));
  return python.find(right) == nullptr ||
         std::ranges::find(kShown, std::string_view(right)) != kShown.end();
}

/// What was compared and fits, a line an environment.
void print_pairs(const DoctorReport& report, const environment::PythonEnvironment& python,
                 bool chinese) {
  std::string line;
  for (const environment::Verdict& verdict : report.diagnosis.verdicts)
    if (verdict.environment == python.path && verdict.fits == true && shown(verdict, python))
      line += fmt::format("{}{} + {}", line.empty() ? "" : ", ", verdict.left, verdict.right);
  if (!line.empty()) fmt::print("  {}{}\n", chinese ? "相配：" : "fits: ", line);
}

void print_findings(const DoctorReport& report, Language language) {
  const bool chinese = language == Language::kChinese;
  if (report.diagnosis.findings.empty())
    fmt::print("\n{}\n", chinese ? "没有发现不匹配。" : "Nothing was found that does not fit.");
  static constexpr std::array<Text, 3> kSeverities{Text{"error", "错误"}, Text{"warning", "警告"},
                                                   Text{"note", "提示"}};
  std::set<std::string> given;  // commands
  for (const environment::Finding& finding : report.diagnosis.findings) {
    fmt::print("\n{}{}{}\n", kSeverities[static_cast<std::size_t>(finding.severity)].in(language),
               chinese ? "：" : ": ", finding.message(language));
    if (!finding.environment.empty())
      fmt::print("  {}{}\n", chinese ? "位置：" : "in ", finding.environment);
    const bool known = !finding.repair.empty() &&
                       std::ranges::all_of(finding.repair, [&](const std::string& command) {
                         return given.contains(command);
                       });
    if (known)
      fmt::print("  {}\n",
                 chinese ? "上面的命令已经包含这项修复" : "repaired by the commands above");
    for (const std::string& command : finding.repair) {
      if (!known) fmt::print("  $ {}\n", command);
      given.insert(command);
    }
  }
}

void print_drifts(const DoctorReport& report, bool chinese) {
  if (!report.before) return;
  if (report.drifts.empty())
    fmt::print("\n{}\n", chinese ? "与记录相比没有变化。"
                                 : "Nothing has changed since the file was written.");
  for (const environment::Drift& drift : report.drifts) {
    const std::string none = chinese ? "无" : "none";
    fmt::print("{}{}: {} -> {}\n", drift.environment.empty() ? "" : drift.environment + " ",
               drift.what, drift.before.empty() ? none : drift.before,
               drift.now.empty() ? none : drift.now);
  }
}

}  // namespace

Json to_json(const DoctorReport& report, Language language) {
  Json json{{"machine", machine_json(report.snapshot)},
            {"environments", Json::array()},
            {"pairs", Json::array()},
            {"findings", Json::array()}};
  for (const environment::PythonEnvironment& python : report.snapshot.environments)
    json["environments"].push_back(environment_json(python));
  for (const environment::Verdict& verdict : report.diagnosis.verdicts)
    json["pairs"].push_back({{"environment", verdict.environment},
                             {"left", verdict.left},
                             {"right", verdict.right},
                             {"fits", verdict.fits ? Json(*verdict.fits) : Json(nullptr)},
                             {"needs", verdict.needs},
                             {"why", verdict.why.in(language)},
                             {"source", verdict.source}});
  for (const environment::Finding& finding : report.diagnosis.findings)
    json["findings"].push_back({{"id", finding.id},
                                {"severity", environment::severity_name(finding.severity)},
                                {"environment", or_null(finding.environment)},
                                {"message", finding.message(language)},
                                {"repair", finding.repair}});
  if (!report.lock.empty()) json["lock"] = report.lock;
  if (!report.before) return json;
  json["drift"] = Json::array();
  for (const environment::Drift& drift : report.drifts)
    json["drift"].push_back({{"environment", or_null(drift.environment)},
                             {"what", drift.what},
                             {"before", or_null(drift.before)},
                             {"now", or_null(drift.now)}});
  return json;
}

void print_text(const DoctorReport& report, Language language) {
  const bool chinese = language == Language::kChinese;
  print_machine(report.snapshot, chinese);
  std::size_t others = 0;
  for (const environment::PythonEnvironment& python : report.snapshot.environments) {
    if (shown(python) || report.snapshot.environments.size() == 1) {
      print_environment(python, chinese);
      print_pairs(report, python, chinese);
    } else {
      ++others;
    }
  }
  if (others > 0)
    fmt::print("\n{}\n",
               chinese
                   ? fmt::format("另有 {} 个 Python 环境没有 torch 或 onnxruntime。", others)
                   : fmt::format("{} more Python environments have neither torch nor onnxruntime.",
                                 others));
  print_findings(report, language);
  print_drifts(report, chinese);
  if (!report.lock.empty()) fmt::print("\n{}{}\n", chinese ? "已写入：" : "written: ", report.lock);
}

}  // namespace sinter::cli
