// One Python's packages, read from its folders.
#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "sinter/diagnose/environment/collect.h"

namespace sinter::diagnose::environment {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// Name, version and requirements out of the head of a METADATA or PKG-INFO file.
std::optional<Package> read_metadata(const std::string& text, const std::string& site) {
  Package package;
  package.site = site;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) break;  // the description follows
    if (line.starts_with("Name: ")) package.name = normalized(line.substr(6));
    if (line.starts_with("Version: ")) package.version = line.substr(9);
    if (line.starts_with("Requires-Dist: ")) package.requires_dist.push_back(line.substr(15));
  }
  if (package.name.empty() || package.version.empty()) return std::nullopt;
  return package;
}

/// The packages of one folder, and what an interrupted installation left there.
void read_site(const Machine& machine, const std::string& site, PythonEnvironment& environment) {
  for (const std::string& name : machine.list(site)) {
    const std::string path = site + "/" + name;
    if (name.starts_with("~")) environment.leftovers.push_back(path);
    std::optional<std::string> text;
    if (name.ends_with(".dist-info")) text = machine.read(path + "/METADATA");
    if (name.ends_with(".egg-info")) {
      text = machine.read(path + "/PKG-INFO");
      if (!text) text = machine.read(path);
    }
    if (!text) continue;
    if (auto package = read_metadata(*text, site))
      environment.packages.push_back(*std::move(package));
  }
}

/// The value of `name = 'value'` in a small Python file, or "".
std::string assigned(const std::string& text, const std::string& name) {
  const RE2 pattern("(?m)^" + name + R"((?:\s*:[^=\n]*)?\s*=\s*['"]([^'"]*)['"])");
  std::string value;
  RE2::PartialMatch(text, pattern, &value);
  return value;
}

int assigned_number(const std::string& text, const std::string& name) {
  const RE2 pattern("(?m)^" + name + R"(\s*=\s*(\d+))");
  int value = 0;
  RE2::PartialMatch(text, pattern, &value);
  return value;
}

void read_torch(const Machine& machine, const std::string& site, PythonEnvironment& environment) {
  const auto version = machine.read(site + "/torch/version.py");
  if (!version || !environment.torch_path.empty()) return;
  environment.torch_path = site + "/torch";
  environment.torch_version = assigned(*version, "__version__");
  environment.torch_cuda = assigned(*version, "cuda");
  environment.torch_hip = assigned(*version, "hip");
  if (const auto constants = machine.read(site + "/torch/onnx/_constants.py"))
    environment.torch_opset = assigned_number(*constants, "ONNX_MAX_OPSET");
}

void read_onnx(const Machine& machine, const std::string& site, PythonEnvironment& environment) {
  static const RE2 last(R"(map_\[ONNX_DOMAIN\] = std::make_pair\(1, (\d+)\))");
  const auto header = machine.read(site + "/onnx/defs/schema.h");
  if (header && environment.onnx_opset == 0)
    RE2::PartialMatch(*header, last, &environment.onnx_opset);
}

void read_xformers(const Machine& machine, const std::string& site,
                   PythonEnvironment& environment) {
  static const RE2 built(R"re("torch"\s*:\s*"([^"]+)")re");
  if (const auto library = machine.read(site + "/xformers/cpp_lib.json"))
    RE2::PartialMatch(*library, built, &environment.xformers_torch);
}

/// The files that a RECORD lists.
std::set<std::string> recorded(const Machine& machine, const Package& package) {
  std::set<std::string> files;
  for (const std::string& name : machine.list(package.site)) {
    if (!name.ends_with(".dist-info")) continue;
    const std::size_t dash = name.find('-');
    if (normalized(name.substr(0, dash)) != package.name) continue;
    std::istringstream lines(machine.read(package.site + "/" + name + "/RECORD").value_or(""));
    for (std::string line; std::getline(lines, line);) files.insert(line.substr(0, line.find(',')));
  }
  return files;
}

void read_onnxruntime(const Machine& machine, const std::string& site,
                      PythonEnvironment& environment) {
  const auto info = machine.read(site + "/onnxruntime/capi/build_and_package_info.py");
  if (!info || !environment.onnxruntime_package.empty()) return;
  environment.onnxruntime_package = assigned(*info, "package_name");
  environment.onnxruntime_cuda = assigned(*info, "cuda_version");
}

/// Files that two of the packages of ONNX Runtime brought into the same folder.
void find_overwritten(const Machine& machine, PythonEnvironment& environment) {
  std::vector<const Package*> packages;
  for (const Package& package : environment.packages)
    if (package.name.starts_with("onnxruntime") && !has(package.name, "extensions") &&
        !has(package.name, "tools"))
      packages.push_back(&package);
  for (std::size_t i = 0; i + 1 < packages.size(); ++i) {
    for (std::size_t j = i + 1; j < packages.size(); ++j) {
      if (packages[i]->name == packages[j]->name || packages[i]->site != packages[j]->site)
        continue;
      const std::set<std::string> a = recorded(machine, *packages[i]);
      const std::set<std::string> b = recorded(machine, *packages[j]);
      for (const std::string& file : a)
        if (b.contains(file) && file.starts_with("onnxruntime/"))
          environment.overwritten.push_back(file);
    }
  }
}

/// NVIDIA's libraries among the packages, with the versions of their packages.
void read_package_libraries(const Machine& machine, const std::string& site,
                            PythonEnvironment& environment) {
  std::vector<std::string> folders{site + "/torch/lib", site + "/tensorrt_libs",
                                   site + "/tensorrt"};
  for (const std::string& name : machine.list(site + "/nvidia"))
    folders.push_back(site + "/nvidia/" + name + "/lib");
  for (const std::string& folder : folders)
    for (Library& library : libraries_in(machine, folder)) {
      for (const Package& package : environment.packages) {
        const bool same =
            (library.name == "nvinfer" && package.name.starts_with("tensorrt")) ||
            (package.name.starts_with("nvidia-") &&
             has(package.name, library.name == "cudart" ? "cuda-runtime" : library.name));
        if (same && package.site == site) library.version = package.version;
      }
      environment.libraries.push_back(std::move(library));
    }
}

/// "3.10" out of ".../lib/python3.10/site-packages".
std::string python_of_site(const std::string& site) {
  static const RE2 pattern(R"(/python(\d+\.\d+)/)");
  std::string version;
  RE2::PartialMatch(site, pattern, &version);
  return version;
}

/// The folders of packages below a prefix.
std::vector<std::string> sites_of(const Machine& machine, const std::string& prefix) {
  std::vector<std::string> sites;
  std::set<std::string> seen;  // lib64 of a venv is a link to lib
  const auto add = [&](const std::string& site) {
    if (machine.exists(site) && seen.insert(machine.resolved(site)).second) sites.push_back(site);
  };
  for (const char* lib : {"/lib", "/lib64", "/local/lib"})
    for (const std::string& name : machine.list(prefix + lib))
      if (name.starts_with("python3"))
        for (const char* kind : {"/site-packages", "/dist-packages"})
          add(prefix + lib + "/" + name + kind);
  add(prefix + "/Lib/site-packages");
  return sites;
}

/// Packages that the user installed for every Python of that version come first in all but venvs.
void add_user_site(const Machine& machine, PythonEnvironment& environment) {
  const auto home = machine.variable("HOME");
  const std::string version =
      environment.sites.empty() ? "" : python_of_site(environment.sites.front());
  if (!home || version.empty() || machine.variable("PYTHONNOUSERSITE")) return;
  const std::string site = *home + "/.local/lib/python" + version + "/site-packages";
  if (machine.exists(site)) environment.sites.insert(environment.sites.begin(), site);
}

}  // namespace

const Package* PythonEnvironment::find(const std::string& name) const {
  const auto package = std::ranges::find(packages, name, &Package::name);
  return package == packages.end() ? nullptr : &*package;
}

std::string normalized(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c == '_' || c == '.' || c == '-') {
      if (!result.empty() && result.back() != '-') result.push_back('-');
    } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      result.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    }
  }
  return result;
}

PythonEnvironment read_environment(const Machine& machine, const std::string& prefix) {
  PythonEnvironment environment;
  environment.path = prefix;
  environment.sites = sites_of(machine, prefix);
  const auto venv = machine.read(prefix + "/pyvenv.cfg");
  if (venv) {
    static const RE2 version(R"((?m)^version(?:_info)?\s*=\s*([\d.]*\d))");
    static const RE2 system(R"((?m)^include-system-site-packages\s*=\s*true)");
    static const RE2 home(R"((?m)^home\s*=\s*(\S.*?)\s*$)");
    std::string base;
    RE2::PartialMatch(*venv, version, &environment.python);
    if (RE2::PartialMatch(*venv, system) && RE2::PartialMatch(*venv, home, &base))
      for (const std::string& site : sites_of(machine, base.substr(0, base.find_last_of('/'))))
        environment.sites.push_back(site);
  } else {
    add_user_site(machine, environment);
  }
  if (environment.python.empty() && !environment.sites.empty())
    environment.python = python_of_site(environment.sites.back());
  for (const char* name : {"/bin/python", "/bin/python3", "/Scripts/python.exe", "/python.exe"})
    if (environment.executable.empty() && machine.exists(prefix + name))
      environment.executable = prefix + name;
  for (const std::string& site : environment.sites) {
    read_site(machine, site, environment);
    read_torch(machine, site, environment);
    read_onnx(machine, site, environment);
    read_xformers(machine, site, environment);
    read_onnxruntime(machine, site, environment);
  }
  std::ranges::stable_sort(environment.packages, {}, &Package::name);
  for (const std::string& site : environment.sites)
    read_package_libraries(machine, site, environment);
  find_overwritten(machine, environment);
  environment.free_bytes = machine.free_bytes(prefix);
  return environment;
}

}  // namespace sinter::diagnose::environment
