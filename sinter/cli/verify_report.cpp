#include "sinter/cli/verify_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "sinter/base/dtype.h"
#include "sinter/cli/text.h"

namespace sinter::cli {
using Json = nlohmann::ordered_json;
using verify::BisectValue;
using verify::Comparison;
namespace {

/// Whether the figures of the errors say anything.
bool has_figures(const Comparison& c) {
  return c.same_shape() && (c.finite_pairs > 0 || c.elements == 0);
}

/// JSON has no word for what is not finite.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json number_or_word(double value) {
  return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value));
}

Json comparison_json(const Comparison& c) {
  const auto figure = [known = has_figures(c)](double value) {
    return known ? number(value) : Json(nullptr);
  };
  Json json{{"shape", c.found_shape},
            {"expected_shape", c.reference_shape},
            {"max_abs", figure(c.max_abs)},
            {"mean_abs", figure(c.mean_abs)},
            {"max_relative", figure(c.max_relative)},
            {"mean_relative", figure(c.mean_relative)},
            {"cosine", figure(c.cosine)},
            {"scale", figure(c.scale)},
            {"worst_index", c.worst_index},
            {"expected", figure(c.worst_reference)},
            {"found", figure(c.worst_found)},
            {"nan", c.found_nan},
            {"inf", c.found_inf},
            {"expected_nan", c.reference_nan},
            {"expected_inf", c.reference_inf},
            {"non_finite_mismatches", c.non_finite_mismatches}};
  if (c.non_finite_mismatches > 0) {
    json["first_non_finite"] = {{"index", c.first_non_finite_mismatch},
                                {"expected", number_or_word(c.non_finite_reference)},
                                {"found", number_or_word(c.non_finite_found)}};
  }
  return json;
}

Json placement_json(const verify::GraphResult& graph) {
  Json json{{"model", graph.model.generic_string()},
            {"engine", graph.engine.name},
            {"providers", Json::array()},
            {"cpu_nodes", Json::array()}};
  for (const runtime::ProviderNodes& row : graph.placement.providers)
    json["providers"].push_back({{"provider", row.provider}, {"nodes", row.nodes}});
  for (const runtime::FallenNode& node : graph.placement.fallen)
    json["cpu_nodes"].push_back({{"node", node.name}, {"op", node.op}, {"cause", node.cause}});
  return json;
}

Json side_json(const ReportedSide& side) {
  return {{"model", side.model.generic_string()},
          {"engine", side.engine},
          {"compute", dtype_info(side.compute).word}};
}

Json value_json(const BisectValue& value) {
  Json json{{"module", value.module},
            {"node", value.node},
            {"op", value.op},
            {"value", value.value},
            {"faulty", value.faulty}};
  if (value.comparison) {
    json.update(comparison_json(*value.comparison));
  } else {
    json["nan"] = value.non_finite.nan;
    json["inf"] = value.non_finite.positive_inf + value.non_finite.negative_inf;
  }
  return json;
}

Json bisection_json(const Bisection& bisection) {
  Json json = side_json(bisection.suspect);
  if (bisection.reference) json["against"] = side_json(*bisection.reference);
  json["passed"] = !bisection.finding;
  return json;
}

Json fault_json(const Bisection& bisection) {
  Json json = side_json(bisection.suspect);
  if (bisection.reference) json["against"] = side_json(*bisection.reference);
  json.update(value_json(bisection.finding->fault));
  json["before"] = Json::array();
  json["behind"] = Json::array();
  for (const BisectValue& value : bisection.finding->before)
    json["before"].push_back(value_json(value));
  for (const BisectValue& value : bisection.finding->behind)
    json["behind"].push_back(value_json(value));
  return json;
}

/// What is wrong with values that are no numbers, and where that starts.
std::string non_finite_words(const Comparison& c) {
  return fmt::format(
      "{} of {} values are NaN or infinite and disagree, first at {}: {:.6g}, "
      "expected {:.6g}",
      c.non_finite_mismatches, c.elements, to_string(c.first_non_finite_mismatch),
      c.non_finite_found, c.non_finite_reference);
}

std::string error_words(const Comparison& c, const verify::Tolerance& tolerance) {
  return fmt::format(
      "max {:.2e} mean {:.2e} of scale {:.3g} (at most {:.0e}, {:.0e}), cosine {:.7f}",
      c.max_relative, c.mean_relative, c.scale, tolerance.max, tolerance.mean, c.cosine);
}

void print_output(const verify::GraphResult& graph, const verify::OutputResult& output,
                  std::size_t output_width, std::size_t reference_width) {
  constexpr std::string_view kIndent = "            ";
  const Comparison& c = output.comparison;
  print_words(stdout, "  {:<8}  {:<{}}  {:<{}}  ", output.passed ? "ok" : "MISMATCH", output.output,
              output_width, output.reference, reference_width);
  if (!c.same_shape()) {
    print_words(stdout, "is {}, expected {}\n", to_string(c.found_shape),
                to_string(c.reference_shape));
    return;
  }
  if (c.non_finite_mismatches > 0) {
    print_words(stdout, "{}\n{}{} NaN and {} infinite, expected {} and {}\n", non_finite_words(c),
                kIndent, c.found_nan, c.found_inf, c.reference_nan, c.reference_inf);
    if (!has_figures(c)) return;
    print_words(stdout, "{}the other {}: ", kIndent, c.finite_pairs);
  }
  print_words(stdout, "{}\n", error_words(c, graph.tolerance));
  if (output.passed) return;
  print_words(stdout, "{}worst at {}: {:.6g}, expected {:.6g}; max abs {:.3g}, mean abs {:.3g}\n",
              kIndent, to_string(c.worst_index), c.worst_found, c.worst_reference, c.max_abs,
              c.mean_abs);
}

/// Where the nodes are, and each that fell to the CPU with its cause.
void print_placement(const verify::GraphResult& graph) {
  const runtime::Placement& placement = graph.placement;
  if (!placement.known) {
    if (graph.no_cpu_fallback)
      print_words(
          stdout,
          "  MISMATCH {} {} does not say where nodes run; ONNX Runtime 1.24 or later does\n",
          graph.engine.name, graph.engine.version);
    return;
  }
  std::vector<std::string> counts;
  for (const runtime::ProviderNodes& row : placement.providers)
    counts.push_back(fmt::format("{} {}", row.provider, row.nodes));
  print_words(stdout, "  nodes: {}\n", fmt::join(counts, ", "));
  for (const runtime::FallenNode& node : placement.fallen)
    print_words(stdout, "  {} on the CPU: {} ({}): {}\n",
                graph.no_cpu_fallback ? "MISMATCH" : "note    ", node.name, node.op, node.cause);
}

void print_graph(const verify::GraphResult& graph) {
  print_words(stdout, "{} on {}, {}\n", graph.model.string(), graph.engine.name,
              dtype_info(graph.compute).word);
  std::size_t output_width = 0;
  std::size_t reference_width = 0;
  for (const verify::OutputResult& output : graph.outputs) {
    output_width = std::max(output_width, output.output.size());
    reference_width = std::max(reference_width, output.reference.size());
  }
  for (const verify::OutputResult& output : graph.outputs)
    print_output(graph, output, output_width, reference_width);
  print_placement(graph);
  if (graph.not_compared.empty()) return;
  const bool text = graph.model.parent_path().filename().string().starts_with("text_encoder");
  print_words(stdout, "  not of this graph: {}{}\n", fmt::join(graph.not_compared, ", "),
              text ? " (convert --hidden-states gives every state)" : "");
}

std::string value_words(const BisectValue& value) {
  if (!value.comparison) {
    const verify::NonFinite& count = value.non_finite;
    if (count.count() == 0) return "finite";
    return fmt::format("{} NaN, {} infinite, first at {}: {}", count.nan,
                       count.positive_inf + count.negative_inf, to_string(count.first),
                       count.first_value);
  }
  const Comparison& c = *value.comparison;
  if (!c.same_shape())
    return fmt::format("is {}, expected {}", to_string(c.found_shape),
                       to_string(c.reference_shape));
  if (c.non_finite_mismatches > 0) return non_finite_words(c);
  return fmt::format("max {:.2e} mean {:.2e} of scale {:.3g}", c.max_relative, c.mean_relative,
                     c.scale);
}

void print_finding(const verify::BisectFinding& finding, bool compared) {
  std::vector<const BisectValue*> values;
  for (const BisectValue& value : finding.before) values.push_back(&value);
  values.push_back(&finding.fault);
  for (const BisectValue& value : finding.behind) values.push_back(&value);
  std::size_t width = 0;
  for (const BisectValue* value : values) width = std::max(width, value->value.size());
  print_words(stdout, "  {} in module '{}', node '{}' ({})\n",
              compared ? "they part" : "NaN or infinity starts", finding.fault.module,
              finding.fault.node, finding.fault.op);
  for (const BisectValue* value : values) {
    print_words(stdout, "  {} {:<{}}  {}\n", value == &finding.fault ? "->" : "  ", value->value,
                width, value_words(*value));
  }
}

void print_bisection(const Bisection& bisection) {
  const auto side = [](const ReportedSide& s) {
    return fmt::format("{} on {}, {}", s.model.string(), s.engine, dtype_info(s.compute).word);
  };
  print_words(stdout, "{}\n", side(bisection.suspect));
  if (bisection.reference) {
    print_words(stdout, "  against {}\n  within max {:.0e}, mean {:.0e} of the scale ({})\n",
                side(*bisection.reference), bisection.tolerance->max, bisection.tolerance->mean,
                bisection.tolerance->name);
  }
  if (bisection.finding) {
    print_finding(*bisection.finding, bisection.reference.has_value());
  } else {
    print_words(stdout, "  no module is at fault\n");
  }
}

}  // namespace

bool VerifyOutcome::passed() const {
  return std::ranges::all_of(graphs, &verify::GraphResult::passed) &&
         std::ranges::none_of(bisections, [](const Bisection& b) { return b.finding.has_value(); });
}

Json to_json(const VerifyOutcome& outcome) {
  Json json{{"passed", outcome.passed()},    {"outputs", Json::array()},
            {"not_compared", Json::array()}, {"placements", Json::array()},
            {"bisected", Json::array()},     {"faults", Json::array()}};
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
    if (graph.placement.known) json["placements"].push_back(placement_json(graph));
    for (const std::string& name : graph.not_compared)
      json["not_compared"].push_back(
          {{"model", graph.model.generic_string()}, {"reference", name}});
  }
  for (const Bisection& bisection : outcome.bisections) {
    json["bisected"].push_back(bisection_json(bisection));
    if (bisection.finding) json["faults"].push_back(fault_json(bisection));
  }
  return json;
}

void print_text(const VerifyOutcome& outcome) {
  for (const verify::GraphResult& graph : outcome.graphs) print_graph(graph);
  for (const Bisection& bisection : outcome.bisections) print_bisection(bisection);
}

}  // namespace sinter::cli
