// The output of `python -m torch.utils.collect_env`, as people paste it.
#include <re2/re2.h>

#include <algorithm>
#include <sstream>

#include "sinter/base/error.h"
#include "sinter/diagnose/environment/collect.h"
#include "sinter/diagnose/environment/version.h"

namespace sinter::diagnose::environment {
namespace {

/// "N/A", "None", "Could not collect" are no values.
std::string value_of(const std::string& text) {
  if (text == "N/A" || text == "None" || text.starts_with("Could not collect") || text == "No CUDA")
    return {};
  return text;
}

void take_line(const std::string& line, Snapshot& snapshot, PythonEnvironment& environment) {
  static const RE2 field(R"(\s*([A-Za-z][\w /()-]*?):\s+(\S.*?)\s*)");
  static const RE2 gpu(R"(\s*GPU \d+: (.+?)(?: \(UUID.*)?\s*)");
  static const RE2 pip(R"(\s*\[pip\d*\]\s+([\w.-]+?)==(\S+)\s*)");
  static const RE2 conda(R"(\s*\[conda\]\s+([\w.-]+)\s+(\d\S*)\s.*)");
  static const RE2 cudnn_windows(R"(\s*(?:cuDNN version: )?(\S.*\\cudnn\w*64_(\d+)\.dll)\s*)");
  static const RE2 cudnn(R"(\s*(?:cuDNN version: )?(\S*libcudnn\.so\.(\d[\d.]*))\s*)");
  std::string name, value;
  if (RE2::FullMatch(line, gpu, &value)) {
    snapshot.gpus.push_back({value, 0, ""});
  } else if (RE2::FullMatch(line, pip, &name, &value) ||
             RE2::FullMatch(line, conda, &name, &value)) {
    const auto known = std::ranges::find_if(environment.packages, [&](const Package& package) {
      return package.name == normalized(name) && package.version == value;
    });
    if (known == environment.packages.end())
      environment.packages.push_back(
          {normalized(name), value, line.find("[conda]") == line.npos ? "pip" : "conda", {}, {}});
  } else if (RE2::FullMatch(line, cudnn, &name, &value) ||
             RE2::FullMatch(line, cudnn_windows, &name, &value)) {
    snapshot.libraries.push_back({"cudnn", value, name});
  } else if (RE2::FullMatch(line, field, &name, &value)) {
    value = value_of(value);
    if (name == "PyTorch version") environment.torch_version = value;
    if (name == "CUDA used to build PyTorch") environment.torch_cuda = value;
    if (name == "ROCM used to build PyTorch") environment.torch_hip = value;
    if (name == "OS") snapshot.system = value;
    if (name == "Python version") environment.python = value.substr(0, value.find(' '));
    if (name == "Is CUDA available") environment.cuda_available = value == "True";
    if (name == "Nvidia driver version") snapshot.driver = value;
    if (name == "CUDA runtime version" && !value.empty())
      snapshot.libraries.push_back({"cudart", value, "nvcc"});
    if (name == "GPU models and configuration" && !value.empty() && snapshot.gpus.empty()) {
      static const RE2 first(R"(GPU \d+: (.+?)(?: \(UUID.*)?)");
      std::string model = value;  // AMD's have no number
      RE2::FullMatch(value, first, &model);
      snapshot.gpus.push_back({model, 0, ""});
    }
  }
}

}  // namespace

Snapshot collect_env_report(std::string_view text) {
  Snapshot snapshot;
  snapshot.pasted = true;
  PythonEnvironment environment;
  environment.path = "collect_env";
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    // A quotation of a thread or a mail.
    static const RE2 quoted(R"(^(?:\s*>)+ ?)");
    RE2::Replace(&line, quoted, "");
    take_line(line, snapshot, environment);
  }
  if (environment.torch_version.empty() && environment.packages.empty()) {
    throw Error(ErrorCode::kBadFile, "this is not the output of torch.utils.collect_env",
                "make it with: python -m torch.utils.collect_env > env.txt");
  }
  std::ranges::stable_sort(environment.packages, {}, &Package::name);
  if (environment.find("torch") == nullptr && !environment.torch_version.empty())
    environment.packages.push_back({"torch", environment.torch_version, "pip", {}, {}});
  // pip on the PATH may be another Python's; the first line is of the torch that was imported.
  for (Package& package : environment.packages)
    if (package.name == "torch" &&
        compare(parse_version(package.version), parse_version(environment.torch_version)) != 0 &&
        parse_version(environment.torch_version).known())
      package.version = environment.torch_version;
  std::ranges::stable_sort(environment.packages, {}, &Package::name);
  snapshot.cuda_supported = cuda_of_driver(snapshot.driver);
  snapshot.environments.push_back(std::move(environment));
  return snapshot;
}

}  // namespace sinter::diagnose::environment
