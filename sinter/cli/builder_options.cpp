#include "sinter/cli/builder_options.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "sinter/base/error.h"
#include "sinter/base/host.h"
#include "sinter/base/process.h"
#include "sinter/diagnose/environment/collect.h"
#include "sinter/diagnose/environment/host_machine.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

std::vector<fs::path> library_folders(const BuilderOptions& options) {
  if (!options.library.empty()) return {options.library};
  const fs::path program = executable_path().parent_path();
  std::vector<fs::path> folders{program, program / ".." / "lib" / "sinter",
                                fs::path(SINTER_BUILD_TENSORRT_RTX)};
  std::istringstream listed(environment_variable("LD_LIBRARY_PATH").value_or(""));
  for (std::string folder; std::getline(listed, folder, ':');)
    if (!folder.empty()) folders.emplace_back(folder);
  for (const char* folder :
       {"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/local/lib", "/usr/local/tensorrt/lib"})
    folders.emplace_back(folder);
  return folders;
}

}  // namespace

void declare_builder(CLI::App& app, BuilderOptions& options) {
  app.add_option("--engine", options.engine,
                 "trt-rtx (TensorRT-RTX: for any of its GPUs, from any machine) or trt (TensorRT "
                 "10 or 11: for the GPU of this machine)")
      ->capture_default_str();
  app.add_option("--library", options.library, "folder with the library's files");
}

std::unique_ptr<engine::Backend> open_builder(const BuilderOptions& options) {
  return engine::open_backend(
      engine::find_library(engine::flavour_named(options.engine), library_folders(options)));
}

std::unique_ptr<engine::Backend> find_builder(const BuilderOptions& options) {
  try {
    return open_builder(options);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kUsage) throw;
    return nullptr;
  }
}

Host look_at_host() {
  diagnose::environment::Snapshot snapshot;
  diagnose::environment::collect_gpus(diagnose::environment::HostMachine(), snapshot);
  Host host{.system = system_name(), .driver = snapshot.driver, .gpu = {}, .capability = {}};
  if (snapshot.gpus.empty()) return host;
  host.gpu = snapshot.gpus.front().name;
  try {
    const std::string& number = snapshot.gpus.front().compute_capability;
    host.capability = plan::gpu_named(number.empty() ? host.gpu : number).capability;
  } catch (const Error&) {
    // A GPU that the table does not have: what is asked of it must be named with --gpu.
  }
  return host;
}

std::vector<plan::ComputeCapability> architectures_named(const std::vector<std::string>& words) {
  std::vector<plan::ComputeCapability> capabilities;
  for (const std::string& word : words) {
    std::istringstream list(word);
    for (std::string name; std::getline(list, name, ',');)
      capabilities.push_back(plan::gpu_named(name).capability);
  }
  std::ranges::sort(capabilities);
  const auto repeated = std::ranges::unique(capabilities);
  capabilities.erase(repeated.begin(), repeated.end());
  return capabilities;
}

}  // namespace sinter::cli
