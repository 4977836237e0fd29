#include "sinter/diagnose/environment/torch_plan.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <sstream>

#include "sinter/diagnose/environment/doctor.h"

namespace sinter::diagnose::environment {
namespace {

constexpr std::string_view kIndex = "https://download.pytorch.org/whl/";

/// Installed together with torch; triton comes by itself.
constexpr std::array kFamily{"torch",    "torchvision",    "torchaudio",
                             "xformers", "torch-tensorrt", "triton"};
/// Builds of releases that the table does not know yet.
constexpr std::string_view kUsualBuilds = "cu118 cu126 cu128 cu130";

std::vector<std::string> words(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string release_text(const Version& version) {
  std::string text;
  for (const int part : version.release) text += (text.empty() ? "" : ".") + std::to_string(part);
  return text;
}

/// A torch that could be installed.
struct Target {
  std::string release;
  Version version;
  std::string tag;
};

bool fits(const Snapshot& snapshot, const Version& torch, const std::string& tag) {
  const Version cuda = parse_version(cuda_of(tag));
  if (!driver_runs(snapshot.driver, cuda.part(0))) return false;
  return std::ranges::all_of(snapshot.gpus, [&](const Gpu& gpu) {
    const GpuGeneration* generation = generation_of(gpu);
    return generation == nullptr || judge_gpu(*generation, torch, cuda).fits;
  });
}

/// The newest build of a release that the driver and every GPU take, or "".
std::string build_of(const Snapshot& snapshot, const Version& torch, std::string_view builds) {
  for (const std::string& tag : words(builds) | std::views::reverse)
    if (fits(snapshot, torch, tag)) return tag;
  return {};
}

/// The release that is there, else the nearest above it, else below, that has a build which fits.
Target target_for(const Snapshot& snapshot, const Version& installed) {
  const std::string own = release_text(installed);
  const std::string_view builds = cuda_builds(own);
  if (const std::string tag = build_of(snapshot, installed, builds); !tag.empty())
    return {own, installed, tag};
  if (builds.empty())
    if (const std::string tag = build_of(snapshot, installed, kUsualBuilds); !tag.empty())
      return {"", {}, tag};
  std::vector<Version> above;
  std::vector<Version> below;
  for (const PairRule& row : pair_rules()) {
    if (row.left != "torch" || row.right != "torchvision") continue;
    const Version series = parse_version(row.when.substr(2, row.when.size() - 4));  // "==2.7.*"
    (compare(series, installed) > 0 ? above : below).push_back(series);
  }
  std::ranges::reverse(below);
  above.insert(above.end(), below.begin(), below.end());
  for (const Version& series : above) {
    const std::string text = release_text(series);
    if (const std::string tag = build_of(snapshot, series, cuda_builds(text)); !tag.empty())
      return {text + ".*", series, tag};
  }
  return {"", {}, words(kUsualBuilds).front()};
}

/// The build that a torch is of: "cu124", "cpu", "rocm6.1", or "".
std::string tag_of(const PythonEnvironment& environment, const Version& torch) {
  static const RE2 published(R"(cu\d{2,3}|cpu|rocm[\d.]+|xpu)");
  for (const std::string& local : {torch.local, parse_version(environment.torch_version).local})
    if (RE2::FullMatch(local, published)) return local;
  std::string digits = environment.torch_cuda;
  std::erase(digits, '.');
  const std::string tag = "cu" + digits;
  const std::vector<std::string> builds = words(cuda_builds(release_text(torch)));
  return std::ranges::find(builds, tag) == builds.end() ? "" : tag;
}

/// What pip is asked for, so that a package of the family fits that torch; empty: there is none.
std::string wanted(const std::string& package, const Version& torch, bool exact) {
  if (!torch.known()) return package;
  for (const PairRule& row : pair_rules())
    if (row.left == "torch" && row.right == package && satisfies(torch, row.when))
      return fmt::format("\"{}{}\"", package, row.needs);
  if (package == "torch-tensorrt")
    return fmt::format("\"{}=={}.{}.*\"", package, torch.part(0), torch.part(1));
  if (package != "xformers" || !exact) return package;
  std::string newest;
  for (const PairRule& row : pair_rules())
    if (row.left == package && row.right == "torch" && satisfies(torch, row.needs))
      newest = fmt::format("\"{}{}\"", package, row.when);
  return newest;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += " " + name;
  return text;
}

bool damaged(const PythonEnvironment& environment) {
  return std::ranges::any_of(environment.stale, [](const StaleMetadata& stale) {
    return stale.name == "torch" && stale.only;
  });
}

/// Whether the driver or a GPU does not take the torch that is there.
bool unusable(const Snapshot& snapshot, const PythonEnvironment& environment,
              const Version& torch) {
  const std::string cuda = torch_cuda(environment);
  if (cuda.empty()) return lacks_cuda(snapshot, environment);
  if (!driver_runs(snapshot.driver, parse_version(cuda).part(0))) return true;
  return std::ranges::any_of(snapshot.gpus, [&](const Gpu& gpu) {
    const GpuGeneration* generation = generation_of(gpu);
    return generation != nullptr && !judge_gpu(*generation, torch, parse_version(cuda)).fits;
  });
}

/// Packages of the family that do not fit torch, by the tables and by what they say themselves.
std::set<std::string> broken_family(const PythonEnvironment& environment, const Version& torch,
                                    std::vector<std::string>& removed) {
  std::set<std::string> broken;
  for (const Verdict& verdict : package_verdicts(environment)) {
    const std::string left = verdict.left.substr(0, verdict.left.find(' '));
    const std::string right = verdict.right.substr(0, verdict.right.find(' '));
    if (verdict.fits != false || (left == "xformers" && !environment.xformers_torch.empty()))
      continue;
    if (right == "torch" && of_torch_family(left)) broken.insert(left);
    if (left == "torch" && of_torch_family(right)) broken.insert(right);
  }
  for (const char* name : {"torchvision", "torchaudio"}) {
    const Package* package = environment.find(name);
    const std::string other = package == nullptr ? "" : parse_version(package->version).local;
    if (other.empty() || torch.local.empty() || other == torch.local) continue;
    // pip takes the same number of another build for what was asked.
    broken.insert(name);
    removed.emplace_back(name);
  }
  if (!xformers_fits(environment)) {
    broken.insert("xformers");
    removed.emplace_back("xformers");
  }
  return broken;
}

void add_commands(const PythonEnvironment& environment, const Version& target,
                  std::vector<std::string> removed, TorchPlan& plan) {
  const bool exact = plan.release.find('*') == plan.release.npos;
  std::string asked;
  bool others = false;
  for (const char* name : kFamily) {
    if (!plan.broken.contains(name) || std::string_view(name) == "torch") continue;
    const std::string requirement = wanted(name, target, exact);
    if (requirement.empty() && std::ranges::find(removed, name) == removed.end())
      removed.emplace_back(name);  // nothing is published for that torch
    asked += requirement.empty() ? "" : " " + requirement;
    others = others || std::string_view(name) == "torch-tensorrt";
  }
  if (!removed.empty())
    plan.commands.push_back(fmt::format("{} uninstall -y{}", pip(environment), joined(removed)));
  if (plan.replaces || !asked.empty())
    plan.commands.push_back(fmt::format("{} install {}{}{}", pip(environment), planned_torch(plan),
                                        asked, others ? plan.extra_index : plan.index));
}

}  // namespace

std::string cuda_of(std::string_view tag) {
  if (tag.size() < 4 || !tag.starts_with("cu")) return {};
  return fmt::format("{}.{}", tag.substr(2, tag.size() - 3), tag.back());
}

GpuVerdict judge_gpu(const GpuGeneration& generation, const Version& torch, const Version& cuda) {
  const Version capability = parse_version(generation.capability);
  if (compare(cuda, parse_version(generation.first_cuda)) < 0)
    return {false, fmt::format("CUDA >={}", generation.first_cuda), generation.source};
  if (!generation.end_cuda.empty() && compare(cuda, parse_version(generation.end_cuda)) >= 0)
    return {false, fmt::format("CUDA <{}", generation.end_cuda), generation.source};
  for (const LeastCapability& row : least_capabilities())
    if (row.package == "torch" && satisfies(torch, row.versions) && satisfies(cuda, row.cuda) &&
        compare(capability, parse_version(row.capability)) < 0)
      return {false, fmt::format("compute capability >={}", row.capability), row.source};
  return {true, fmt::format("CUDA >={}", generation.first_cuda), generation.source};
}

const GpuGeneration* generation_of(const Gpu& gpu) {
  const std::string_view capability = gpu.compute_capability.empty()
                                          ? capability_of(gpu.name)
                                          : std::string_view(gpu.compute_capability);
  const auto row = std::ranges::find(gpu_generations(), capability, &GpuGeneration::capability);
  return row == gpu_generations().end() ? nullptr : &*row;
}

bool driver_runs(std::string_view driver, int cuda_major) {
  const auto minimum = std::ranges::find(driver_minimums(), cuda_major, &DriverMinimum::cuda_major);
  return driver.empty() || minimum == driver_minimums().end() ||
         parse_version(driver).part(0) >= minimum->driver;
}

bool of_torch_family(std::string_view package) {
  return std::ranges::find(kFamily, package) != kFamily.end();
}

bool xformers_fits(const PythonEnvironment& environment) {
  const Package* xformers = environment.find("xformers");
  const Package* torch = environment.find("torch");
  if (xformers == nullptr || torch == nullptr || environment.xformers_torch.empty()) return true;
  const Version built = parse_version(environment.xformers_torch);
  const Version here =
      parse_version(environment.torch_version.empty() ? torch->version : environment.torch_version);
  if (satisfies(parse_version(xformers->version), ">=0.0.34") && compare(here, built) >= 0)
    return true;
  return compare(built, here) == 0 &&
         (built.local.empty() || here.local.empty() || built.local == here.local);
}

std::string planned_torch(const TorchPlan& plan) {
  return plan.release.empty() ? "torch" : fmt::format("\"torch=={}\"", plan.release);
}

TorchPlan plan_torch(const Snapshot& snapshot, const PythonEnvironment& environment) {
  TorchPlan plan;
  const Package* torch = environment.find("torch");
  if (torch == nullptr) return plan;
  const Version installed = parse_version(torch->version);
  std::vector<std::string> removed;
  plan.broken = broken_family(environment, installed, removed);
  Target target{installed.known() ? torch->version.substr(0, torch->version.find('+')) : "",
                installed, tag_of(environment, installed)};
  const bool other = unusable(snapshot, environment, installed);
  if (other) target = target_for(snapshot, installed);
  plan.replaces = other || damaged(environment);
  plan.release = target.release;
  if (!target.tag.empty()) {
    const bool nightly = !other && installed.dev != Version::kNoDev;
    const std::string url = fmt::format("{}{}{}", kIndex, nightly ? "nightly/" : "", target.tag);
    plan.index = " --index-url " + url;
    plan.extra_index = " --extra-index-url " + url;
  }
  if (plan.replaces) {
    removed.clear();
    for (const char* name : kFamily) {
      if (environment.find(name) == nullptr || std::string_view(name) == "triton") continue;
      plan.broken.insert(name);
      removed.emplace_back(name);
    }
    plan.broken.erase("triton");
  }
  add_commands(environment, target.version, removed, plan);
  return plan;
}

}  // namespace sinter::diagnose::environment
