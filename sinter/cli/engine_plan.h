#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

#include "sinter/plan/plan.h"

namespace sinter::cli {

/// What engines shall serve, as it is typed.
struct EnginePlanOptions {
  std::string plan;              // file of `sinter plan`
  std::string size = "512x512";  // or "512x512:768x768"
  std::string batch = "1";       // or "1:4"
};

void declare_engine_plan(CLI::App& app, EnginePlanOptions& options);

/// The plan in the file, or one made of the other options for every graph of the folder.
plan::Plan engine_plan(const std::filesystem::path& folder, const EnginePlanOptions& options);

}  // namespace sinter::cli
