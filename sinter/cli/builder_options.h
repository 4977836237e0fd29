#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sinter/engine/backend.h"
#include "sinter/plan/gpu.h"

namespace sinter::cli {

/// The options that choose a library for engines.
struct BuilderOptions {
  std::string engine = "trt-rtx";
  std::string library;  // folder
};

void declare_builder(CLI::App& app, BuilderOptions& options);

/// Where the library is looked for: the named folder alone; else beside the program, in
/// ../lib/sinter of it, where set-up put it, in LD_LIBRARY_PATH, and in the system's usual folders.
/// @throws as engine::find_library() and engine::open_backend().
std::unique_ptr<engine::Backend> open_builder(const BuilderOptions& options);

/// The same, or null where there is none.
std::unique_ptr<engine::Backend> find_builder(const BuilderOptions& options);

/// What is known of this machine.
struct Host {
  std::string system;  // "Linux 6.1 x86_64"
  std::string driver;  // of NVIDIA, or ""
  std::string gpu;     // its name, or ""
  std::optional<plan::ComputeCapability> capability;
};
Host look_at_host();

/// "sm89,rtx3090" as architectures, each once, in ascending order.
/// @throws Error{kUsage} for a name that is not in the table, with the nearest.
std::vector<plan::ComputeCapability> architectures_named(const std::vector<std::string>& words);

}  // namespace sinter::cli
