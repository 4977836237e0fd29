#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/cli/command.h"
#include "sinter/cli/engine_options.h"
#include "sinter/graph/onnx_model.h"
#include "sinter/verify/bisect.h"
#include "sinter/verify/case_binding.h"
#include "sinter/verify/generated_inputs.h"
#include "sinter/verify/verify.h"

namespace sinter::cli {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
namespace {

struct Options {
  std::string model;
  std::vector<std::string> references;
  std::string against;  // an engine, or another model of the same network
  bool bisect = false;
  bool json = false;
  EngineOptions engine;
};

/// A fault that bisection found in one graph.
struct Fault {
  fs::path model;
  verify::BisectFinding finding;
};

struct Outcome {
  std::vector<verify::GraphResult> graphs;
  std::vector<Fault> faults;

  bool passed() const {
    bool all = faults.empty();
    for (const verify::GraphResult& graph : graphs) all = all && graph.passed();
    return all;
  }
};

std::vector<fs::path> models_of(const Options& options, const verify::ReferenceCase* reference) {
  if (!fs::is_directory(options.model)) return {options.model};
  return reference == nullptr ? verify::models_in(options.model)
                              : verify::models_for(options.model, *reference);
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

/// Where the graph goes wrong: against another engine or another precision, or by numbers that are
/// none.
std::optional<verify::BisectFinding> find_fault(const Options& options, const fs::path& path,
                                                const verify::ReferenceCase* reference) {
  graph::OnnxModel model = graph::OnnxModel::load(path);
  const runtime::SessionOptions session = session_options(options.engine);
  const runtime::TensorMap inputs = inputs_of(model, reference);
  const verify::BisectSide suspect{model, engine_named(options.engine.engine), session};
  if (options.against.empty()) {
    const auto seen = verify::find_non_finite(suspect, inputs);
    return seen ? seen : verify::find_non_finite(suspect, inputs, verify::NonFiniteScope::kValues);
  }
  if (against_engine(options)) {
    graph::OnnxModel same = graph::OnnxModel::load(path);
    return verify::bisect({same, engine_named(options.against), session}, suspect, inputs,
                          verify::tolerance_for(DType::kF32));
  }
  graph::OnnxModel other = graph::OnnxModel::load(counterpart(options, path));
  return verify::bisect({other, suspect.engine, session}, suspect, inputs,
                        verify::tolerance_for(DType::kF16));
}

void check_model(const Options& options, const fs::path& path,
                 const verify::ReferenceCase* reference, Outcome& outcome) {
  const verify::VerifyOptions verify_options{.engine = engine_named(options.engine.engine),
                                             .session = session_options(options.engine)};
  if (against_engine(options)) {
    outcome.graphs.push_back(
        verify::compare_engines(path, engine_named(options.against), reference, verify_options));
  } else if (reference != nullptr && options.against.empty()) {
    outcome.graphs.push_back(verify::verify_model(path, *reference, verify_options));
  }
  const bool sound = !outcome.graphs.empty() && outcome.graphs.back().passed();
  if (!options.bisect || (sound && !options.against.empty())) return;
  if (auto finding = find_fault(options, path, reference))
    outcome.faults.push_back({path, *std::move(finding)});
}

Json comparison_json(const verify::Comparison& comparison) {
  return {{"max_abs", comparison.max_abs},
          {"mean_abs", comparison.mean_abs},
          {"max_relative", comparison.max_relative},
          {"mean_relative", comparison.mean_relative},
          {"cosine", comparison.cosine},
          {"scale", comparison.scale},
          {"worst_index", comparison.worst_index},
          {"reference", comparison.worst_reference},
          {"found", comparison.worst_found},
          {"nan", comparison.found_nan},
          {"inf", comparison.found_inf}};
}

Json to_json(const Outcome& outcome) {
  Json json{{"passed", outcome.passed()},
            {"outputs", Json::array()},
            {"not_compared", Json::array()},
            {"faults", Json::array()}};
  for (const verify::GraphResult& graph : outcome.graphs) {
    for (const verify::OutputResult& output : graph.outputs) {
      Json row{{"model", graph.model.generic_string()},
               {"engine", graph.engine.name},
               {"compute", dtype_info(graph.compute).word},
               {"reference", output.reference},
               {"output", output.output},
               {"passed", output.passed},
               {"tolerance",
                {{"name", graph.tolerance.name},
                 {"max", graph.tolerance.max},
                 {"mean", graph.tolerance.mean}}}};
      row.update(comparison_json(output.comparison));
      json["outputs"].push_back(std::move(row));
    }
    for (const std::string& name : graph.not_compared)
      json["not_compared"].push_back(
          {{"model", graph.model.generic_string()}, {"reference", name}});
  }
  for (const Fault& fault : outcome.faults) {
    Json row{{"model", fault.model.generic_string()},
             {"module", fault.finding.module},
             {"node", fault.finding.node},
             {"op", fault.finding.op},
             {"value", fault.finding.value}};
    row.update(comparison_json(fault.finding.comparison));
    json["faults"].push_back(std::move(row));
  }
  return json;
}

void print_output(const verify::GraphResult& graph, const verify::OutputResult& output) {
  const verify::Comparison& c = output.comparison;
  fmt::print("  {:<8} {:<28} {:<26}", output.passed ? "ok" : "MISMATCH", output.output,
             output.reference);
  if (!c.same_shape()) {
    fmt::print("is {}, expected {}\n", to_string(c.found_shape), to_string(c.reference_shape));
    return;
  }
  fmt::print("max {:.2e} mean {:.2e} of scale {:.3g} (at most {:.0e}, {:.0e}), cosine {:.7f}\n",
             c.max_relative, c.mean_relative, c.scale, graph.tolerance.max, graph.tolerance.mean,
             c.cosine);
  if (output.passed) return;
  fmt::print(
      "           worst at {}: {:.6g}, expected {:.6g}; max abs {:.3g}, mean abs {:.3g}, {} NaN, "
      "{} infinite\n",
      to_string(c.worst_index), c.worst_found, c.worst_reference, c.max_abs, c.mean_abs,
      c.found_nan, c.found_inf);
}

void print_text(const Options& options, const Outcome& outcome) {
  for (const verify::GraphResult& graph : outcome.graphs) {
    fmt::print("{} on {}, {}\n", graph.model.string(), graph.engine.name,
               dtype_info(graph.compute).word);
    for (const verify::OutputResult& output : graph.outputs) print_output(graph, output);
    if (!graph.not_compared.empty()) {
      fmt::print("  not compared: {} (no such output; convert --hidden-states gives every state)\n",
                 fmt::join(graph.not_compared, ", "));
    }
  }
  for (const Fault& fault : outcome.faults) {
    const verify::BisectFinding& found = fault.finding;
    fmt::print(
        "{}: it starts in module '{}'\n  node '{}' ({}), value '{}': max {:.2e} of scale, {} NaN, "
        "{} infinite\n",
        fault.model.string(), found.module, found.node, found.op, found.value,
        found.comparison.max_relative, found.comparison.found_nan, found.comparison.found_inf);
  }
  if (options.bisect && outcome.faults.empty()) fmt::print("no module is at fault\n");
}

int run(const Options& options) {
  if (options.references.empty() && options.against.empty() && !options.bisect) {
    throw Error(ErrorCode::kUsage, "nothing to compare with",
                "give --reference CASE.safetensors, --against ENGINE, or --bisect to look for NaN "
                "and infinity");
  }
  Outcome outcome;
  if (options.references.empty()) {
    for (const fs::path& path : models_of(options, nullptr))
      check_model(options, path, nullptr, outcome);
  }
  for (const std::string& file : options.references) {
    const verify::ReferenceCase reference = verify::ReferenceCase::load(file);
    for (const fs::path& path : models_of(options, &reference))
      check_model(options, path, &reference, outcome);
  }
  if (options.json) {
    fmt::print("{}\n", to_json(outcome).dump(2));
  } else {
    print_text(options, outcome);
  }
  return outcome.passed() ? kDone : kFindings;
}

}  // namespace

Run declare_verify(CLI::App& app) {
  auto options =
      std::make_shared<Options>();  // shared by the parser's bindings and the returned function
  app.add_option("model", options->model, "a converted folder, or one .onnx file")->required();
  app.add_option("--reference", options->references,
                 "a case: inputs in.* and expected outputs out.* (repeatable)");
  app.add_option("--against", options->against,
                 "compare with this engine on the same inputs; with --bisect also another folder "
                 "or .onnx file");
  app.add_flag(
      "--bisect", options->bisect,
      "name the first module at which the two differ, or at which NaN or infinity appears");
  declare_engine(app, options->engine);
  app.add_flag("--json", options->json, "print the result as JSON");
  return [options] { return run(*options); };
}

}  // namespace sinter::cli
