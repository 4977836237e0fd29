// The machine: GPUs, driver, libraries, and where its Pythons are.
#include "sinter/diagnose/environment/collect.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "sinter/base/error.h"
#include "sinter/diagnose/environment/version.h"

namespace sinter::diagnose::environment {
namespace {

/// From which driver branch on a CUDA runtime is fully supported (CUDA Toolkit release notes, table
/// of toolkit and driver versions; Linux).
struct Branch {
  int driver;
  std::string_view cuda;
};
constexpr std::array kBranches{
    Branch{410, "10.0"}, Branch{418, "10.1"}, Branch{440, "10.2"}, Branch{450, "11.0"},
    Branch{455, "11.1"}, Branch{460, "11.2"}, Branch{465, "11.3"}, Branch{470, "11.4"},
    Branch{495, "11.5"}, Branch{510, "11.6"}, Branch{515, "11.7"}, Branch{520, "11.8"},
    Branch{525, "12.0"}, Branch{530, "12.1"}, Branch{535, "12.2"}, Branch{545, "12.3"},
    Branch{550, "12.4"}, Branch{555, "12.5"}, Branch{560, "12.6"}, Branch{565, "12.7"},
    Branch{570, "12.8"}, Branch{575, "12.9"}, Branch{580, "13.0"}, Branch{590, "13.1"},
};

constexpr std::array kVariables{"CUDA_HOME",
                                "CUDA_PATH",
                                "CUDA_VISIBLE_DEVICES",
                                "LD_LIBRARY_PATH",
                                "LD_PRELOAD",
                                "PYTORCH_CUDA_ALLOC_CONF",
                                "PYTORCH_ALLOC_CONF",
                                "PYTHONPATH",
                                "PYTHONHOME",
                                "HF_HOME",
                                "VIRTUAL_ENV",
                                "CONDA_PREFIX",
                                "LANG",
                                "LC_ALL",
                                "LC_CTYPE",
                                "PYTHONUTF8",
                                "COMMANDLINE_ARGS",
                                "TORCH_COMMAND",
                                "HSA_OVERRIDE_GFX_VERSION"};

/// Folders that the loader looks through, on usual systems.
constexpr std::array kLibraryFolders{"/usr/lib/x86_64-linux-gnu",
                                     "/usr/lib/aarch64-linux-gnu",
                                     "/usr/lib64",
                                     "/lib64",
                                     "/usr/lib/wsl/lib",
                                     "/usr/local/lib",
                                     "/usr/local/nvidia/lib64",
                                     "/usr/local/cuda/lib64"};

struct LibraryName {
  std::string_view file;  // up to ".so"
  std::string_view name;
};
constexpr std::array kLibraryNames{
    LibraryName{"libcudart", "cudart"}, LibraryName{"libcudnn", "cudnn"},
    LibraryName{"libcublas", "cublas"}, LibraryName{"libnvinfer", "nvinfer"},
    LibraryName{"libnvonnxparser", "nvonnxparser"}};

std::vector<std::string> split(const std::string& text, char mark) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, mark);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

/// Where Pythons usually are; "*" stands for every folder there.
constexpr std::array kHomePlaces{"/miniconda3",
                                 "/anaconda3",
                                 "/miniforge3",
                                 "/mambaforge",
                                 "/micromamba",
                                 "/miniconda3/envs/*",
                                 "/anaconda3/envs/*",
                                 "/miniforge3/envs/*",
                                 "/mambaforge/envs/*",
                                 "/micromamba/envs/*",
                                 "/.conda/envs/*",
                                 "/.pyenv/versions/*",
                                 "/.virtualenvs/*",
                                 "/stable-diffusion-webui/venv",
                                 "/stable-diffusion-webui-forge/venv",
                                 "/sd-webui-forge/venv",
                                 "/automatic/venv",
                                 "/ComfyUI/venv",
                                 "/ComfyUI/.venv",
                                 "/kohya_ss/venv",
                                 "/InvokeAI/.venv",
                                 "/invokeai/.venv",
                                 "/Fooocus/venv"};
constexpr std::array kSystemPlaces{"/opt/conda",      "/opt/conda/envs/*", "/opt/venv", "/venv",
                                   "/workspace/venv", "/usr/local",        "/usr"};
constexpr std::array kHerePlaces{"",
                                 "/venv",
                                 "/.venv",
                                 "/env",
                                 "/stable-diffusion-webui/venv",
                                 "/stable-diffusion-webui-forge/venv",
                                 "/ComfyUI/venv",
                                 "/ComfyUI/.venv",
                                 "/python_embeded",
                                 "/system/python"};

void expand(const Machine& machine, const std::string& place, std::vector<std::string>& prefixes) {
  if (!place.ends_with("/*")) {
    prefixes.push_back(place);
    return;
  }
  const std::string folder = place.substr(0, place.size() - 2);
  for (const std::string& name : machine.list(folder)) prefixes.push_back(folder + "/" + name);
}

/// The prefix of a Python that was named by its program or its folder.
std::string prefix_of(const Machine& machine, const std::string& python) {
  std::string path = python;
  if (!path.starts_with("/") && path.find(':') == path.npos)
    path = machine.current_folder() + "/" + path;
  while (path.size() > 1 && path.ends_with("/")) path.pop_back();
  if (!machine.exists(path))
    throw Error(ErrorCode::kIo, fmt::format("there is no Python at {}", python),
                "--python takes the program (venv/bin/python) or the folder of an environment");
  if (machine.list(path).empty()) {  // a program: bin/python, Scripts/python.exe, python.exe
    path = path.substr(0, path.find_last_of('/'));
    if (path.ends_with("/bin") || path.ends_with("/Scripts"))
      path = path.substr(0, path.find_last_of('/'));
  }
  return path;
}

std::vector<std::string> places(const Machine& machine) {
  std::vector<std::string> prefixes;
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const auto prefix = machine.variable(name)) prefixes.push_back(*prefix);
  const std::string here = machine.current_folder();
  for (const char* place : kHerePlaces) expand(machine, here + place, prefixes);
  if (const auto home = machine.variable("HOME")) {
    for (const char* place : kHomePlaces) expand(machine, *home + place, prefixes);
    for (const std::string& line :
         split(machine.read(*home + "/.conda/environments.txt").value_or(""), '\n'))
      prefixes.push_back(trimmed(line));
  }
  for (const char* place : kSystemPlaces) expand(machine, place, prefixes);
  return prefixes;
}

void collect_environments(const Machine& machine, const std::vector<std::string>& pythons,
                          Snapshot& snapshot) {
  std::set<std::string> seen;
  for (const std::string& python : pythons) {
    const std::string prefix = prefix_of(machine, python);
    if (!seen.insert(machine.resolved(prefix)).second) continue;
    PythonEnvironment environment = read_environment(machine, prefix);
    if (environment.sites.empty())
      throw Error(ErrorCode::kIo, fmt::format("there are no Python packages below {}", prefix),
                  "--python takes the program (venv/bin/python) or the folder of an environment");
    snapshot.environments.push_back(std::move(environment));
  }
  if (!pythons.empty()) return;
  for (const std::string& prefix : places(machine)) {
    if (!machine.exists(prefix) || !seen.insert(machine.resolved(prefix)).second) continue;
    PythonEnvironment environment = read_environment(machine, prefix);
    // A bare Python, or one that draws no pictures, is of no interest.
    if (environment.packages.empty()) continue;
    snapshot.environments.push_back(std::move(environment));
  }
}

}  // namespace

std::string cuda_of_driver(std::string_view driver) {
  const Version version = parse_version(driver);
  std::string cuda;
  for (const Branch& branch : kBranches)
    if (version.part(0) >= branch.driver) cuda = branch.cuda;
  return cuda;
}

std::vector<Library> libraries_in(const Machine& machine, const std::string& folder) {
  std::vector<Library> libraries;
  for (const std::string& file : machine.list(folder)) {
    const std::size_t so = file.find(".so");
    if (so == file.npos) continue;
    const auto* row = std::ranges::find(kLibraryNames, file.substr(0, so), &LibraryName::file);
    if (row == kLibraryNames.end()) continue;
    const std::string path = folder + "/" + file;
    // The link libcudnn.so leads to libcudnn.so.8.9.2; the longest name says most.
    const std::string real = machine.resolved(path);
    const std::size_t at = real.find(".so.");
    const std::string version = at == real.npos ? "" : real.substr(at + 4);
    const auto same = std::ranges::find_if(libraries, [&](const Library& other) {
      return other.name == row->name &&
             (other.version.starts_with(version) || version.starts_with(other.version));
    });
    if (same == libraries.end()) {
      libraries.push_back({std::string(row->name), version, path});
    } else if (version.size() > same->version.size()) {
      same->version = version;
    }
  }
  return libraries;
}

void collect_gpus(const Machine& machine, Snapshot& snapshot) {
  static const RE2 module(R"(Kernel Module\s+(?:for \S+\s+)?([\d.]+))");
  static const RE2 cuda(R"(CUDA Version:\s*([\d.]+))");
  if (const auto text = machine.read("/proc/driver/nvidia/version"))
    RE2::PartialMatch(*text, module, &snapshot.driver);
  const auto table = machine.run({"nvidia-smi"});
  if (table) RE2::PartialMatch(*table, cuda, &snapshot.cuda_supported);
  auto rows = machine.run({"nvidia-smi", "--query-gpu=name,memory.total,driver_version,compute_cap",
                           "--format=csv,noheader,nounits"});
  // Drivers before 470 do not know compute_cap.
  if (!rows)
    rows = machine.run({"nvidia-smi", "--query-gpu=name,memory.total,driver_version",
                        "--format=csv,noheader,nounits"});
  for (const std::string& line : split(rows.value_or(""), '\n')) {
    const std::vector<std::string> cells = split(line, ',');
    if (cells.size() < 3) continue;
    Gpu gpu{trimmed(cells[0]), std::strtod(cells[1].c_str(), nullptr), ""};
    if (cells.size() > 3) gpu.compute_capability = trimmed(cells[3]);
    if (snapshot.driver.empty()) snapshot.driver = trimmed(cells[2]);
    snapshot.gpus.push_back(std::move(gpu));
  }
  if (!snapshot.gpus.empty()) return;
  static const RE2 model(R"(Model:\s*(.+))");
  for (const std::string& card : machine.list("/proc/driver/nvidia/gpus")) {
    Gpu gpu;
    RE2::PartialMatch(
        machine.read("/proc/driver/nvidia/gpus/" + card + "/information").value_or(""), model,
        &gpu.name);
    snapshot.gpus.push_back(std::move(gpu));
  }
}

void collect_libraries(const Machine& machine, Snapshot& snapshot) {
  std::vector<std::string> folders = split(machine.variable("LD_LIBRARY_PATH").value_or(""), ':');
  folders.insert(folders.end(), kLibraryFolders.begin(), kLibraryFolders.end());
  for (const std::string& name : machine.list("/usr/local"))
    if (name.starts_with("cuda-") || name.starts_with("TensorRT"))
      folders.push_back("/usr/local/" + name + (name.starts_with("cuda-") ? "/lib64" : "/lib"));
  std::set<std::string> seen;
  for (const std::string& folder : folders) {
    if (!seen.insert(machine.resolved(folder)).second) continue;
    for (Library& library : libraries_in(machine, folder))
      snapshot.libraries.push_back(std::move(library));
    for (const std::string& file : machine.list(folder)) {
      static const RE2 driver(R"(libcuda\.so\.(\d{3}\.[\d.]+))");
      RE2::FullMatch(file, driver, &snapshot.library_driver);
    }
  }
}

Snapshot collect(const Machine& machine, const std::vector<std::string>& pythons) {
  Snapshot snapshot;
  static const RE2 pretty(R"re((?m)^PRETTY_NAME="?([^"\n]*))re");
  RE2::PartialMatch(machine.read("/etc/os-release").value_or(""), pretty, &snapshot.system);
  for (const char* name : kVariables)
    if (const auto value = machine.variable(name)) snapshot.variables[name] = *value;
  collect_gpus(machine, snapshot);
  collect_libraries(machine, snapshot);
  if (snapshot.driver.empty()) snapshot.driver = snapshot.library_driver;
  if (snapshot.cuda_supported.empty()) snapshot.cuda_supported = cuda_of_driver(snapshot.driver);
  collect_environments(machine, pythons, snapshot);
  return snapshot;
}

}  // namespace sinter::diagnose::environment
