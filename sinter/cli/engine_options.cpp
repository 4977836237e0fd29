#include "sinter/cli/engine_options.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "sinter/base/error.h"

namespace sinter::cli {
namespace {

struct ArithmeticRow {
  std::string_view name;
  runtime::Arithmetic arithmetic;
};

constexpr std::array kArithmetics{ArithmeticRow{"graph", runtime::Arithmetic::kGraph},
                                  ArithmeticRow{"bf16", runtime::Arithmetic::kBFloat16},
                                  ArithmeticRow{"fp16", runtime::Arithmetic::kFloat16},
                                  ArithmeticRow{"fastest", runtime::Arithmetic::kFastest}};

}  // namespace

void declare_engine(CLI::App& app, EngineOptions& options) {
  app.add_option("--engine", options.engine, "openvino or onnxruntime")->capture_default_str();
  app.add_option("--arithmetic", options.arithmetic,
                 "graph: as the graph says; bf16, fp16, fastest: what the engine may use instead")
      ->capture_default_str();
  app.add_option("--threads", options.threads, "threads of the engine; 0: one a core")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--onnxruntime", options.onnxruntime_library, "another libonnxruntime to load");
}

runtime::Engine engine_named(const std::string& name) {
  const std::optional<runtime::Engine> engine = runtime::engine_from_name(name);
  if (!engine)
    throw Error(ErrorCode::kUsage,
                fmt::format("there is no engine '{}'; there are openvino and onnxruntime", name));
  return *engine;
}

runtime::SessionOptions session_options(const EngineOptions& options) {
  runtime::SessionOptions session{.threads = options.threads,
                                  .arithmetic = {},
                                  .onnxruntime_library = options.onnxruntime_library};
  for (const ArithmeticRow& row : kArithmetics) {
    if (row.name != options.arithmetic) continue;
    session.arithmetic = row.arithmetic;
    return session;
  }
  throw Error(ErrorCode::kUsage,
              fmt::format("--arithmetic is '{}', expected graph, bf16, fp16 or fastest",
                          options.arithmetic));
}

}  // namespace sinter::cli
