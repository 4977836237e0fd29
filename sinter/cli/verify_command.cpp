#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/cli/command.h"
#include "sinter/cli/conversion.h"
#include "sinter/cli/engine_options.h"
#include "sinter/cli/failure.h"
#include "sinter/cli/json_output.h"
#include "sinter/cli/model_argument.h"
#include "sinter/cli/model_cache.h"
#include "sinter/cli/option_rules.h"
#include "sinter/cli/progress.h"
#include "sinter/cli/verify_report.h"
#include "sinter/graph/onnx_model.h"
#include "sinter/verify/bisect.h"
#include "sinter/verify/case_binding.h"
#include "sinter/verify/generated_inputs.h"
#include "sinter/verify/verify.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

struct Options {
  std::string model;
  std::vector<std::string> references;
  std::string against;           // an engine, or another model of the same network
  ConversionOptions conversion;  // of a checkpoint
  bool bisect = false;
  bool no_cpu_fallback = false;
  bool json = false;
  EngineOptions engine;
};

std::vector<fs::path> models_of(const Options& options, const verify::ReferenceCase* reference) {
  if (reference == nullptr || !fs::is_directory(options.model)) return models_at(options.model);
  return verify::models_for(options.model, *reference);
}

/// Inputs of a graph: a case's first run, or generated ones.
runtime::TensorMap inputs_of(const graph::OnnxModel& model,
                             const verify::ReferenceCase* reference) {
  if (reference == nullptr) return verify::generated_inputs(model.inputs());
  return verify::bind_case(*reference, model, verify::text_states(model.path())).runs.front();
}

/// The model that a second model or folder has in the place of `model`.
fs::path counterpart(const Options& options, const fs::path& model) {
  const fs::path other = options.against;
  return fs::is_directory(other) ? other / model.parent_path().filename() / model.filename()
                                 : other;
}

bool against_engine(const Options& options) {
  return runtime::engine_from_name(options.against).has_value();
}

/// Says on standard error what is being worked on.
void show(Progress& progress, const fs::path& model, std::string_view stage) {
  progress.stage(fmt::format("{}: {}", model.string(), stage));
}

/// Where the graph goes wrong: against another engine or another model within the tolerance, or by
/// numbers that are none.
Bisection bisect(const Options& options, const fs::path& path,
                 const verify::ReferenceCase* reference, std::optional<verify::Tolerance> tolerance,
                 Progress& progress) {
  const verify::BisectProgress report = [&](std::size_t looked, std::size_t values) {
    show(progress, path, fmt::format("looked at {} of {} values", looked, values));
  };
  graph::OnnxModel model = graph::OnnxModel::load(path);
  const runtime::SessionOptions session = session_options(options.engine);
  const runtime::TensorMap inputs = inputs_of(model, reference);
  const verify::BisectSide suspect{model, engine_named(options.engine.engine), session};
  Bisection result{.suspect = {path, options.engine.engine, model.compute_dtype()},
                   .reference = {},
                   .tolerance = tolerance,
                   .finding = {}};
  if (options.against.empty()) {
    result.finding =
        verify::find_non_finite(suspect, inputs, verify::NonFiniteScope::kValues, report);
    return result;
  }
  const bool engine = against_engine(options);
  const fs::path other_path = engine ? path : counterpart(options, path);
  graph::OnnxModel other = graph::OnnxModel::load(other_path);
  const verify::BisectSide base{other, engine ? engine_named(options.against) : suspect.engine,
                                engine ? verify::for_the_other(session) : session};
  result.reference = {other_path, std::string(runtime::engine_name(base.engine)),
                      other.compute_dtype()};
  if (!result.tolerance) {
    result.tolerance = verify::coarser(verify::tolerance_for(result.suspect.compute),
                                       verify::tolerance_for(result.reference->compute));
  }
  result.finding = verify::bisect(base, suspect, inputs, *result.tolerance, report);
  return result;
}

void check_model(const Options& options, const fs::path& path,
                 const verify::ReferenceCase* reference, Progress& progress,
                 VerifyOutcome& outcome) {
  const verify::VerifyOptions verify_options{
      .engine = engine_named(options.engine.engine),
      .session = session_options(options.engine),
      .tolerance = {},
      .no_cpu_fallback = options.no_cpu_fallback,
      .progress = [&](const fs::path& model, std::string_view stage) {
        show(progress, model, stage);
      }};
  std::vector<verify::GraphResult> results;
  if (against_engine(options)) {
    results =
        verify::compare_engines(path, engine_named(options.against), reference, verify_options);
  } else if (reference != nullptr && options.against.empty()) {
    results = verify::verify_case(path, *reference, verify_options);
  }
  std::ranges::copy(results, std::back_inserter(outcome.graphs));
  const bool sound = !results.empty() && !options.against.empty() &&
                     std::ranges::all_of(results, &verify::GraphResult::passed);
  if (!options.bisect || sound) return;
  outcome.bisections.push_back(
      bisect(options, path, reference,
             results.empty() ? std::nullopt : std::optional(results.front().tolerance), progress));
}

/// On the CPU nothing falls back to it.
void check_placement(const Options& options, runtime::Engine engine) {
  const bool gpu =
      engine != runtime::Engine::kOpenVino &&
      (engine != runtime::Engine::kOnnxRuntime || !options.engine.provider_library.empty());
  if (!options.no_cpu_fallback || gpu) return;
  throw Error(ErrorCode::kUsage,
              fmt::format("--no-cpu-fallback is for engines on a GPU, and {} runs on the CPU",
                          runtime::engine_name(engine)),
              "--engine cuda, tensorrt or trt-rtx names one");
}

void check_options(const Options& options) {
  if (options.references.empty() && options.against.empty() && !options.bisect) {
    throw Error(ErrorCode::kUsage, "nothing to compare with",
                "give --reference CASE.safetensors, --against ENGINE, or --bisect to look for NaN "
                "and infinity");
  }
  const runtime::Engine engine = engine_named(options.engine.engine);
  check_placement(options, engine);
  if (options.against.empty()) return;
  if (const auto other = runtime::engine_from_name(options.against)) {
    if (*other != engine) return;
    throw Error(ErrorCode::kUsage, fmt::format("{} would be compared with itself", options.against),
                "--engine names the engine that is checked, --against the other one");
  }
  if (!fs::exists(options.against))
    throw unknown_name("engine, folder or file", options.against, engine_names());
  if (!options.bisect) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("--against {} names another model, which is for --bisect", options.against));
  }
}

/// A checkpoint and not graphs: a file that is no ONNX file, or a pipeline's folder without any.
bool is_checkpoint(const fs::path& model) {
  if (fs::is_regular_file(model)) return model.extension() != ".onnx";
  return fs::exists(model / "model_index.json") && verify::models_in(model).empty();
}

void convert_checkpoint(Options& options) {
  if (is_checkpoint(options.model)) {
    options.model = converted_folder(options.model, options.conversion).string();
    return;
  }
  if (options.conversion.loras.empty()) return;
  throw Error(ErrorCode::kUsage,
              fmt::format("--lora is for a checkpoint's conversion, and {} is converted already",
                          options.model),
              fmt::format("sinter convert CHECKPOINT OUT --lora {} makes such a folder",
                          options.conversion.loras.back()));
}

int run(Options& options) {
  check_options(options);
  convert_checkpoint(options);
  VerifyOutcome outcome{.graphs = {}, .bisections = {}};
  Progress progress("verifying", "");
  if (options.references.empty()) {
    for (const fs::path& path : models_of(options, nullptr))
      check_model(options, path, nullptr, progress, outcome);
  }
  for (const std::string& file : options.references) {
    const verify::ReferenceCase reference = verify::ReferenceCase::load(file);
    for (const fs::path& path : models_of(options, &reference))
      check_model(options, path, &reference, progress, outcome);
  }
  progress.finish();
  if (options.json) {
    print_json(to_json(outcome));
  } else {
    print_text(outcome);
  }
  return outcome.passed() ? kDone : kFindings;
}

}  // namespace

Run declare_verify(CLI::App& app) {
  auto options =
      std::make_shared<Options>();  // shared by the parser's bindings and the returned function
  app.add_option("model", options->model,
                 "a converted folder, one .onnx file, or a checkpoint (converted in float32 "
                 "into a cache folder)")
      ->required();
  options->conversion.precision = "fp32";
  options->conversion.hidden_states = true;  // cases compare states before the last layer
  one_by_one(app.add_option("--lora", options->conversion.loras,
                            "merge this adapter into a checkpoint: FILE, FILE:WEIGHT or "
                            "FILE:WEIGHT:TE_WEIGHT (repeatable)"));

  one_by_one(app.add_option("--reference", options->references,
                            "a case: inputs in.* and expected outputs out.* (repeatable)"));
  app.add_option("--against", options->against,
                 "compare with this engine on the same inputs; with --bisect also another folder "
                 "or .onnx file");
  app.add_flag(
      "--bisect", options->bisect,
      "name the first module at which the two differ, or at which NaN or infinity appears");
  declare_engine(app, options->engine);
  app.add_flag("--no-cpu-fallback", options->no_cpu_fallback,
               "a node that an engine on a GPU leaves to the CPU is a mismatch");
  app.add_flag("--json", options->json, "print the result as JSON");
  return [options] { return run(*options); };
}

}  // namespace sinter::cli
