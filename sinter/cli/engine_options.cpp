#include "sinter/cli/engine_options.h"

#include <array>
#include <optional>

#include "sinter/cli/failure.h"
#include "sinter/cli/option_rules.h"

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
  app.add_option("--engine", options.engine, "openvino or onnxruntime")->capture_default_str();
  app.add_option("--arithmetic", options.arithmetic,
                 "graph: as the graph says; bf16, fp16, fastest: what the engine may use instead; "
                 "rounded: every value rounded to its type, as a GPU does (onnxruntime)")
      ->capture_default_str();
  app.add_option("--threads", options.threads, "threads of the engine; 0: one a core")
      ->capture_default_str()
      ->check(at_least(0));
  app.add_option("--onnxruntime", options.onnxruntime_library, "another libonnxruntime to load");
}

std::vector<std::string_view> engine_names() {
  return {runtime::engine_name(runtime::Engine::kOpenVino),
          runtime::engine_name(runtime::Engine::kOnnxRuntime)};
}

runtime::Engine engine_named(const std::string& name) {
  const std::optional<runtime::Engine> engine = runtime::engine_from_name(name);
  if (!engine) throw unknown_name("engine", name, engine_names());
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
  std::vector<std::string_view> names;
  for (const ArithmeticRow& row : kArithmetics) names.push_back(row.name);
  throw unknown_name("arithmetic", options.arithmetic, names);
}

}  // namespace sinter::cli
