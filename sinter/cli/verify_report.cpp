#include "sinter/cli/verify_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

#include "sinter/base/dtype.h"
#include "sinter/base/message.h"

namespace sinter::cli {
using Json = nlohmann::ordered_json;
namespace {

Json comparison_json(const verify::Comparison& comparison) {
  return {{"max_abs", comparison.max_abs},
          {"mean_abs", comparison.mean_abs},
          {"max_relative", comparison.max_relative},
          {"mean_relative", comparison.mean_relative},
          {"cosine", comparison.cosine},
          {"scale", comparison.scale},
          {"worst_index", comparison.worst_index},
          {"expected", comparison.worst_reference},
          {"found", comparison.worst_found},
          {"nan", comparison.found_nan},
          {"inf", comparison.found_inf}};
}

void print_output(const verify::GraphResult& graph, const verify::OutputResult& output) {
  const verify::Comparison& c = output.comparison;
  fmt::print("  {:<8} {:<28} {:<26}", output.passed ? "ok" : "MISMATCH", shown(output.output),
             shown(output.reference));
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

}  // namespace

bool VerifyOutcome::passed() const {
  return faults.empty() && std::ranges::all_of(graphs, &verify::GraphResult::passed);
}

Json to_json(const VerifyOutcome& outcome) {
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

void print_text(const VerifyOutcome& outcome) {
  for (const verify::GraphResult& graph : outcome.graphs) {
    fmt::print("{} on {}, {}\n", printable(graph.model.string()), graph.engine.name,
               dtype_info(graph.compute).word);
    for (const verify::OutputResult& output : graph.outputs) print_output(graph, output);
    if (!graph.not_compared.empty()) {
      const bool text = graph.model.parent_path().filename().string().starts_with("text_encoder");
      fmt::print("  not of this graph: {}{}\n",
                 printable(fmt::format("{}", fmt::join(graph.not_compared, ", "))),
                 text ? " (convert --hidden-states gives every state)" : "");
    }
  }
  for (const Fault& fault : outcome.faults) {
    const verify::BisectFinding& found = fault.finding;
    fmt::print(
        "{}: it starts in module '{}'\n  node '{}' ({}), value '{}': max {:.2e} of scale, {} NaN, "
        "{} infinite\n",
        printable(fault.model.string()), shown(found.module), shown(found.node), shown(found.op),
        shown(found.value), found.comparison.max_relative, found.comparison.found_nan,
        found.comparison.found_inf);
  }
  if (outcome.bisected && outcome.faults.empty()) fmt::print("no module is at fault\n");
}

}  // namespace sinter::cli
