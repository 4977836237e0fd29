#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/runtime/session.h"

namespace sinter::cli {

/// The options that choose and tune an engine.
struct EngineOptions {
  std::string engine = "openvino";
  std::string arithmetic = "graph";
  std::string onnxruntime_library;
  std::string provider_library = {};
  std::string engine_cache = {};
  std::string plan = {};  // a file of `sinter plan`
  int threads = 0;
};

void declare_engine(CLI::App& app, EngineOptions& options);

std::vector<std::string_view> engine_names();

/// @throws Error{kUsage} for a name that is not there, with the nearest.
runtime::Engine engine_named(const std::string& name);

/// @throws Error{kUsage}.
runtime::SessionOptions session_options(const EngineOptions& options);

}  // namespace sinter::cli
