#include "sinter/cli/engine_options.h"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <map>
#include <optional>

#include "sinter/base/error.h"
#include "sinter/cli/failure.h"
#include "sinter/cli/option_rules.h"
#include "sinter/plan/plan.h"

namespace sinter::cli {
namespace {

struct ArithmeticRow {
  std::string_view name;
  runtime::Arithmetic arithmetic;
};

constexpr std::array kArithmetics{ArithmeticRow{"graph", runtime::Arithmetic::kGraph},
                                  ArithmeticRow{"bf16", runtime::Arithmetic::kBFloat16},
                                  ArithmeticRow{"fp16", runtime::Arithmetic::kFloat16},
                                  ArithmeticRow{"fastest", runtime::Arithmetic::kFastest},
                                  ArithmeticRow{"rounded", runtime::Arithmetic::kRounded}};

}  // namespace

void declare_engine(CLI::App& app, EngineOptions& options) {
  app.add_option("--engine", options.engine,
                 "openvino, onnxruntime; on a GPU: cuda, tensorrt, trt-rtx")
      ->capture_default_str();
  app.add_option("--arithmetic", options.arithmetic,
                 "graph: as the graph says; bf16, fp16, fastest: what the engine may use instead; "
                 "rounded: every value rounded to its type, as a GPU does (onnxruntime)")
      ->capture_default_str();
  app.add_option("--threads", options.threads, "threads of the engine; 0: one a core")
      ->capture_default_str()
      ->check(at_least(0));
  app.add_option("--onnxruntime", options.onnxruntime_library, "another libonnxruntime to load");
  app.add_option("--provider-library", options.provider_library,
                 "a library with execution providers for ONNX Runtime (1.22 or later)");
  app.add_option("--engine-cache", options.engine_cache,
                 "folder in which tensorrt and trt-rtx keep what they build");
  app.add_option("--plan", options.plan,
                 "a plan of sinter plan: the ranges of shapes for tensorrt and trt-rtx");
}

std::vector<std::string_view> engine_names() {
  return {runtime::engine_name(runtime::Engine::kOpenVino),
          runtime::engine_name(runtime::Engine::kOnnxRuntime),
          runtime::engine_name(runtime::Engine::kCuda),
          runtime::engine_name(runtime::Engine::kTensorRt),
          runtime::engine_name(runtime::Engine::kTensorRtRtx)};
}

runtime::Engine engine_named(const std::string& name) {
  const std::optional<runtime::Engine> engine = runtime::engine_from_name(name);
  if (!engine) throw unknown_name("engine", name, engine_names());
  return *engine;
}

namespace {

// Options that only some engines understand.
void require_meant(const EngineOptions& options) {
  const runtime::Engine engine = engine_named(options.engine);
  if (!options.provider_library.empty() && engine == runtime::Engine::kOpenVino)
    throw Error(ErrorCode::kUsage, "--provider-library is for ONNX Runtime, and openvino is not",
                "--engine onnxruntime, cuda, tensorrt or trt-rtx takes it");
  const bool tensorrt =
      engine == runtime::Engine::kTensorRt || engine == runtime::Engine::kTensorRtRtx;
  if (!options.plan.empty() && !tensorrt)
    throw Error(
        ErrorCode::kUsage,
        fmt::format("--plan is for tensorrt and trt-rtx; {} takes any shape", options.engine));
  if (!options.engine_cache.empty() && !tensorrt)
    throw Error(ErrorCode::kUsage,
                fmt::format("--engine-cache is for tensorrt and trt-rtx; {} builds nothing that "
                            "could be kept",
                            options.engine));
}

/// The ranges of a plan's graphs, by their folders.
std::map<std::string, std::vector<runtime::ShapeRange>, std::less<>> ranges_of(
    const std::string& file) {
  std::map<std::string, std::vector<runtime::ShapeRange>, std::less<>> ranges;
  if (file.empty()) return ranges;
  for (const plan::GraphPlan& graph : plan::read_plan(file).graphs) {
    for (const plan::InputRange& range : graph.profile.inputs)
      ranges[graph.folder].push_back({range.input, range.min, range.opt, range.max});
  }
  return ranges;
}

}  // namespace

runtime::SessionOptions session_options(const EngineOptions& options) {
  require_meant(options);
  runtime::SessionOptions session{.threads = options.threads,
                                  .arithmetic = {},
                                  .onnxruntime_library = options.onnxruntime_library,
                                  .provider_library = options.provider_library,
                                  .engine_cache = options.engine_cache,
                                  .shape_ranges = ranges_of(options.plan)};
  for (const ArithmeticRow& row : kArithmetics) {
    if (row.name != options.arithmetic) continue;
    session.arithmetic = row.arithmetic;
    return session;
  }
  std::vector<std::string_view> names;
  for (const ArithmeticRow& row : kArithmetics) names.push_back(row.name);
  throw unknown_name("arithmetic", options.arithmetic, names);
}

}  // namespace sinter::cli
