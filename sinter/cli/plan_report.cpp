#include "sinter/cli/plan_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "sinter/base/message.h"
#include "sinter/cli/text.h"

namespace sinter::cli {

using Json = nlohmann::ordered_json;
using plan::PictureSize;
using plan::Range;

namespace {

std::string picture_text(const PictureSize& size) {
  return fmt::format("{}x{}", size.width, size.height);
}

std::string shape_text(const Shape& shape) { return fmt::format("{}", fmt::join(shape, "x")); }

std::string span_text(const Range& range, std::string_view noun) {
  if (range.min == range.max) return counted(static_cast<std::uint64_t>(range.min), noun);
  return fmt::format("{} to {}", range.min, counted(static_cast<std::uint64_t>(range.max), noun));
}

std::string sides_text(const plan::Sizes& sizes) {
  const PictureSize least{sizes.width.min, sizes.height.min};
  const PictureSize most{sizes.width.max, sizes.height.max};
  if (least.width == most.width && least.height == most.height) return picture_text(most);
  return fmt::format("{} to {}", picture_text(least), picture_text(most));
}

std::string serves_text(const plan::Sizes& sizes) {
  return fmt::format("{}, {}, {}", sides_text(sizes), span_text(sizes.batch, "picture"),
                     span_text(sizes.tokens, "token"));
}

void print_inputs(const plan::Plan& plan) {
  std::size_t name = 5;
  std::size_t shape = 4;
  for (const plan::GraphPlan& graph : plan.graphs) {
    for (const plan::InputRange& range : graph.profile.inputs) {
      name = std::max(name, graph.folder.size() + 1 + shown(range.input).size());
      shape = std::max(shape, shape_text(range.max).size());
    }
  }
  print_words(stdout, "{:<{}}  {:<{}}  {:<{}}  {}\n", "input", name, "min", shape, "opt", shape,
              "max");
  for (const plan::GraphPlan& graph : plan.graphs) {
    if (graph.profile.inputs.empty())
      print_words(stdout, "{:<{}}  fixed, needs no profile\n", graph.folder, name);
    for (const plan::InputRange& range : graph.profile.inputs) {
      print_words(stdout, "{:<{}}  {:<{}}  {:<{}}  {}\n",
                  fmt::format("{} {}", graph.folder, shown(range.input)), name,
                  shape_text(range.min), shape, shape_text(range.opt), shape,
                  shape_text(range.max));
    }
  }
}

void print_memory(const PlanOutcome& outcome) {
  std::size_t name = 5;
  for (const plan::GraphPlan& graph : outcome.plan.graphs)
    name = std::max(name, graph.folder.size());
  print_words(stdout, "\n{:<{}}  {:<8}  {:>8}  {:>11}  {:>11}  {:>8}  {:>9}  {:>8}\n", "graph",
              name, "computes", "weights", "activations", "in one size", "bindings", "workspace",
              "disk");
  for (std::size_t i = 0; i < outcome.plan.graphs.size(); ++i) {
    const plan::GraphPlan& graph = outcome.plan.graphs[i];
    const plan::MemoryRow& one = graph.memory.front();
    const plan::MemoryRow& most = graph.memory.back();
    print_words(stdout, "{:<{}}  {:<8}  {:>8}  {:>11}  {:>11}  {:>8}  {:>9}  {:>8}\n", graph.folder,
                name, dtype_info(outcome.peaks[i].compute).word, human_bytes(most.weights),
                human_bytes(most.activations), human_bytes(one.activations),
                human_bytes(most.bindings), human_bytes(graph.workspace_bytes),
                human_bytes(graph.disk_bytes));
  }
  for (const GraphPeak& peak : outcome.peaks) {
    print_words(stdout, "{} needs most at {}\n", peak.folder, shown(peak.ledger.peak));
    if (peak.ledger.scores_in_memory) {
      print_words(stdout,
                  "  its attention keeps {} of scores in memory, which an engine does not fuse in "
                  "{} with heads this wide\n",
                  human_bytes(peak.ledger.scores), dtype_info(peak.compute).word);
    }
  }
}

void print_engines(const PlanOutcome& outcome) {
  print_words(stdout, "\n{:<10}  {:>11}  {:>10}  {:>13}  {}\n", "engines", "activations",
              "all loaded", "one at a time", "serve");
  for (const ComparedEngines& row : outcome.engines) {
    print_words(stdout, "{:<10}  {:>11}  {:>10}  {:>13}  {}{}\n", row.name,
                human_bytes(row.all_loaded.activations), human_bytes(row.all_loaded.bytes),
                human_bytes(row.one_at_a_time.bytes), serves_text(row.sizes),
                row.planned ? "  <- this plan" : "");
  }
}

void print_card(const CardReport& card) {
  const auto gibi = static_cast<double>(card.memory_bytes) / (1 << 30);
  print_words(stdout, "\n{}: {:.3g} GiB, {}\n", card.name, gibi, human_bytes(card.memory_bytes));
  print_words(stdout, "  this plan {}\n",
              card.fits_all_loaded      ? "fits with all engines loaded"
              : card.fits_one_at_a_time ? "fits only with one engine loaded at a time"
                                        : "does not fit, not even one engine at a time");
  if (card.limit.fits) {
    print_words(stdout, "  engines that reach no further fit up to {}\n",
                picture_text(*card.limit.fits));
  } else {
    print_words(stdout, "  not even the smallest picture fits with all engines loaded\n");
  }
  if (card.limit.fails) {
    print_words(stdout, "  at {} they need {}, {} of it for {}\n", picture_text(*card.limit.fails),
                human_bytes(card.limit.need.bytes), human_bytes(card.limit.need.activations),
                card.limit.need.folder);
  }
  if (card.remedies.empty()) return;
  print_words(stdout, "  what reaches further\n");
  for (const plan::Remedy& remedy : card.remedies) {
    print_words(stdout, "    {}: {}{}\n", remedy.words, remedy.limit.fails ? "up to " : "beyond ",
                picture_text(*remedy.limit.fits));
  }
}

Json to_value(const plan::Need& need) {
  return {{"bytes", need.bytes}, {"largest", need.folder}, {"activation_bytes", need.activations}};
}

Json to_value(const std::optional<PictureSize>& size) {
  return size ? Json(picture_text(*size)) : Json(nullptr);
}

Json to_value(const CardReport& card) {
  Json remedies = Json::array();
  for (const plan::Remedy& remedy : card.remedies) {
    remedies.push_back({{"name", remedy.name},
                        {"words", remedy.words},
                        {"fits", to_value(remedy.limit.fits)},
                        {"fails", to_value(remedy.limit.fails)}});
  }
  return {{"name", card.name},
          {"memory_bytes", card.memory_bytes},
          {"fits_all_loaded", card.fits_all_loaded},
          {"fits_one_at_a_time", card.fits_one_at_a_time},
          {"fits", to_value(card.limit.fits)},
          {"fails", to_value(card.limit.fails)},
          {"need", to_value(card.limit.need)},
          {"remedies", std::move(remedies)}};
}

}  // namespace

void print_text(const PlanOutcome& outcome) {
  const plan::Sizes& sizes = outcome.plan.sizes;
  print_words(stdout, "{} of {}x{}, {}; engines for {}\n\n",
              counted(static_cast<std::uint64_t>(sizes.batch.opt), "picture"), sizes.width.opt,
              sizes.height.opt, sizes.guidance ? "with guidance" : "without guidance",
              serves_text(sizes));
  print_inputs(outcome.plan);
  print_memory(outcome);
  print_engines(outcome);
  if (outcome.card) print_card(*outcome.card);
  for (const std::string& note : outcome.notes) print_words(stdout, "\nnote: {}\n", note);
  if (!outcome.trtexec.empty()) print_words(stdout, "\n");
  for (const std::string& line : outcome.trtexec) print_words(stdout, "{}\n", line);
}

Json to_json(const PlanOutcome& outcome) {
  Json graphs = Json::array();
  for (const GraphPeak& peak : outcome.peaks) {
    Json held = Json::array();
    for (const plan::HeldValue& value : peak.ledger.held)
      held.push_back({{"value", value.name}, {"bytes", value.bytes}});
    graphs.push_back({{"folder", peak.folder},
                      {"part", plan::part_name(peak.part)},
                      {"compute", dtype_info(peak.compute).word},
                      {"fixed", peak.fixed},
                      {"peak", peak.ledger.peak},
                      {"held", std::move(held)},
                      {"scores_bytes", peak.ledger.scores},
                      {"scores_in_memory", peak.ledger.scores_in_memory}});
  }
  Json engines = Json::array();
  for (const ComparedEngines& row : outcome.engines) {
    engines.push_back({{"name", row.name},
                       {"planned", row.planned},
                       {"serves", serves_text(row.sizes)},
                       {"all_loaded", to_value(row.all_loaded)},
                       {"one_at_a_time", to_value(row.one_at_a_time)}});
  }
  Json json{{"plan", Json::parse(plan::to_json(outcome.plan))},
            {"graphs", std::move(graphs)},
            {"engines", std::move(engines)}};
  if (outcome.card) json["card"] = to_value(*outcome.card);
  json["trtexec"] = outcome.trtexec;
  json["notes"] = outcome.notes;
  return json;
}

}  // namespace sinter::cli
