// One Python's packages, read from its folders.
#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "sinter/diagnose/environment/collect.h"
#include "sinter/diagnose/environment/version.h"

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
    if (auto package = read_metadata(*text, site)) {
      package->metadata = path;
      environment.packages.push_back(*std::move(package));
    }
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

/// Whether a version's number, and its build where both say one, are those of the files.
bool same_version(const std::string& metadata, const std::string& files) {
  const Version said = parse_version(metadata);
  const Version is = parse_version(files);
  return compare(said, is) == 0 &&
         (said.local.empty() || is.local.empty() || said.local == is.local);
}

/// The version that a package's files say, where they do so in one of the usual places.
std::string version_in_files(const Machine& machine, const Package& package) {
  std::string folder = package.name;
  std::ranges::replace(folder, '-', '_');
  for (const char* file : {"/version.py", "/_version.py", "/__init__.py"}) {
    const auto text = machine.read(package.site + "/" + folder + file);
    for (const char* name : {"__version__", "version"})
      if (text && !assigned(*text, name).empty() && parse_version(assigned(*text, name)).known())
        return assigned(*text, name);
  }
  return {};
}

/// Of several metadata of one package in one folder only that of its files stays; where the files
/// do not say, that of which pip knows the files (RECORD), else the highest.
void settle_twins(const Machine& machine, PythonEnvironment& environment) {
  std::vector<Package> kept;
  for (const Package& package : environment.packages) {
    const auto twin = std::ranges::find_if(kept, [&](const Package& other) {
      return other.name == package.name && other.site == package.site;
    });
    if (twin == kept.end()) {
      kept.push_back(package);
      continue;
    }
    const std::string files =
        package.name == "torch" && environment.torch_path == package.site + "/torch"
            ? environment.torch_version
            : version_in_files(machine, package);
    const auto rank = [&](const Package& candidate) {
      const bool record = machine.exists(candidate.metadata + "/RECORD");
      return std::pair(!files.empty() && same_version(candidate.version, files), record);
    };
    const bool newer = compare(parse_version(package.version), parse_version(twin->version)) > 0;
    const bool better = rank(package) > rank(*twin) || (rank(package) == rank(*twin) && newer);
    const Package& loser = better ? *twin : package;
    environment.stale.push_back({loser.name, loser.version, loser.metadata, false});
    if (better) *twin = package;
  }
  environment.packages = std::move(kept);
}

/// What torch's files say goes before all metadata: they are imported.
void settle_torch(const Machine& machine, PythonEnvironment& environment) {
  if (!parse_version(environment.torch_version).known()) return;
  const std::string site =
      environment.torch_path.substr(0, environment.torch_path.find_last_of('/'));
  bool listed = false;
  for (Package& package : environment.packages) {
    if (package.name != "torch" || package.site != site) continue;
    listed = true;
    if (same_version(package.version, environment.torch_version)) continue;
    environment.stale.push_back({"torch", package.version, package.metadata, true});
    package.version = environment.torch_version;
    package.requires_dist.clear();
  }
  // Metadata in another folder without files there lists nothing that is imported.
  std::erase_if(environment.packages, [&](const Package& package) {
    if (package.name != "torch" || package.site == site || machine.exists(package.site + "/torch"))
      return false;
    environment.stale.push_back({"torch", package.version, package.metadata, false});
    return true;
  });
  if (!listed) environment.packages.push_back({"torch", environment.torch_version, site, {}, {}});
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
  settle_twins(machine, environment);
  settle_torch(machine, environment);
  std::ranges::stable_sort(environment.packages, {}, &Package::name);
  for (const std::string& site : environment.sites)
    read_package_libraries(machine, site, environment);
  find_overwritten(machine, environment);
  environment.free_bytes = machine.free_bytes(prefix);
  return environment;
}

}  // namespace sinter::diagnose::environment
