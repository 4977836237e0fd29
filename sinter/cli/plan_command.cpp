#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sinter/arch/families.h"
#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/cli/command.h"
#include "sinter/cli/json_output.h"
#include "sinter/cli/model_argument.h"
#include "sinter/cli/plan_report.h"
#include "sinter/plan/gpu.h"
#include "sinter/plan/make_plan.h"
#include "sinter/plan/trtexec.h"
#include "sinter/plan/wanted.h"
#include "sinter/weights/converted_folder.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

struct Options {
  std::string model;
  std::string size;
  std::string batch = "1";
  std::string windows = "1:3";
  bool no_guidance = false;
  bool narrow = false;
  std::string gpu;
  std::string vram;
  std::string trtexec;
  std::string output;
  bool json = false;
};

constexpr std::int64_t kWindowTokens = 77;

std::string family_of(const std::string& model) {
  if (!fs::is_directory(model)) return {};
  const std::optional<weights::ConvertedFolder> folder = weights::read_converted_folder(model);
  return folder ? folder->family : std::string();
}

/// What the family was trained on, where nothing is asked for.
std::vector<plan::PictureSize> sizes_used(const Options& options, const std::string& family) {
  if (!options.size.empty()) return plan::picture_sizes(options.size);
  for (const arch::Family& row : arch::families()) {
    if (row.name == family) return {{row.native_size, row.native_size}};
  }
  constexpr std::int64_t kSide = 512;
  return {{kSide, kSide}};
}

plan::Sizes sizes_of(const Options& options, const std::vector<plan::PictureSize>& used,
                     plan::Margin margin) {
  const plan::Range windows = plan::usual_and_most(options.windows, "--windows");
  plan::Sizes sizes;
  sizes.batch = plan::usual_and_most(options.batch, "--batch");
  sizes.tokens = {kWindowTokens, windows.opt * kWindowTokens, windows.max * kWindowTokens};
  sizes.guidance = !options.no_guidance;
  plan::set_pictures(sizes, used, margin);
  return sizes;
}

std::vector<ComparedEngines> compare(const Options& options,
                                     const std::vector<plan::PlannedGraph>& graphs,
                                     const std::vector<plan::PictureSize>& used) {
  constexpr plan::Ways kOneAtATime{.one_at_a_time = true};
  std::vector<ComparedEngines> rows;
  const auto add = [&](const char* name, const plan::Sizes& sizes, plan::EngineSizes kind,
                       bool planned) {
    rows.push_back({.name = name,
                    .sizes = sizes,
                    .planned = planned,
                    .all_loaded = plan::need_of_engines(graphs, sizes, kind, {}),
                    .one_at_a_time = plan::need_of_engines(graphs, sizes, kind, kOneAtATime)});
  };
  const plan::Sizes narrow = sizes_of(options, used, plan::Margin::kNarrow);
  const plan::Sizes wide = sizes_of(options, used, plan::Margin::kWide);
  add("one size", plan::only_usual(narrow), plan::EngineSizes::kOne, false);
  add("narrow", narrow, plan::EngineSizes::kRange, options.narrow);
  add("wide", wide, plan::EngineSizes::kRange, !options.narrow);
  return rows;
}

/// The card that is asked about: by its memory, or by its name.
std::optional<std::pair<std::string, std::uint64_t>> card_of(const Options& options) {
  if (!options.vram.empty()) return std::pair(options.vram, plan::memory_size(options.vram));
  if (options.gpu.empty()) return std::nullopt;
  const plan::Gpu& gpu = plan::gpu_named(options.gpu);
  if (gpu.memory_gib == 0) return std::nullopt;
  return std::pair(std::string(gpu.name), gpu.memory_bytes());
}

CardReport report_card(const std::vector<plan::PlannedGraph>& graphs, const plan::Sizes& sizes,
                       const std::string& name, std::uint64_t memory_bytes) {
  const auto fits = [&](const plan::Ways& ways) {
    return plan::need_of_engines(graphs, sizes, plan::EngineSizes::kRange, ways).bytes <=
           memory_bytes;
  };
  return {.name = name,
          .memory_bytes = memory_bytes,
          .fits_all_loaded = fits({}),
          .fits_one_at_a_time = fits({.one_at_a_time = true}),
          .limit = plan::limit_of(graphs, sizes, {}, memory_bytes),
          .remedies = plan::remedies(graphs, sizes, memory_bytes)};
}

std::vector<std::string> notes_for(const Options& options,
                                   const std::vector<plan::PlannedGraph>& graphs) {
  std::vector<std::string> notes;
  for (const plan::PlannedGraph& graph : graphs) {
    if (!graph.fixed()) continue;
    notes.push_back(
        fmt::format("{} has one size, whatever --size and --batch say; convert without "
                    "--static for engines of a range",
                    graph.folder()));
  }
  if (options.gpu.empty()) return notes;
  if (plan::gpu_named(options.gpu).capability == plan::ComputeCapability{7, 5}) {
    std::vector<std::string> folders;
    for (const plan::PlannedGraph& graph : graphs) {
      if (graph.multiplies_float32()) folders.push_back(graph.folder());
    }
    // Its words: "Cannot compile operation ... for Turing (SM75): FP32 GEMM is not supported".
    if (!folders.empty())
      notes.push_back(
          fmt::format("TensorRT-RTX 1.7 builds no float32 matrix products for Turing "
                      "(sm75), and {} {} some; TensorRT takes them",
                      fmt::join(folders, ", "), folders.size() == 1 ? "has" : "have"));
  }
  if (!card_of(options))
    notes.push_back(fmt::format("{} is an architecture; --vram says how much memory the card has",
                                plan::gpu_named(options.gpu).name));
  return notes;
}

int run(const Options& options) {
  // What is wrong with the words is said before a file is read.
  const std::string gpu = options.gpu.empty() ? "" : std::string(plan::gpu_named(options.gpu).name);
  const auto card = card_of(options);
  std::optional<plan::TrtexecVersion> version;
  if (!options.trtexec.empty()) version = plan::trtexec_version(options.trtexec);
  const std::string family = family_of(options.model);
  const std::vector<plan::PictureSize> used = sizes_used(options, family);
  const plan::Sizes sizes =
      sizes_of(options, used, options.narrow ? plan::Margin::kNarrow : plan::Margin::kWide);

  // trtexec builds the file as it is.
  const auto norms = version ? plan::Norms::kAsWritten : plan::Norms::kJoined;
  const std::vector<plan::PlannedGraph> graphs = plan::load_graphs(models_at(options.model), norms);
  PlanOutcome outcome{.plan = plan::make_plan(graphs, sizes, card ? card->second : 0),
                      .peaks = {},
                      .engines = compare(options, graphs, used),
                      .card = {},
                      .trtexec = {},
                      .notes = notes_for(options, graphs)};
  outcome.plan.gpu = gpu;
  outcome.plan.family = family;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const plan::PlannedGraph& graph = graphs[i];
    const auto kind = graph.fixed() ? plan::EngineSizes::kOne : plan::EngineSizes::kRange;
    outcome.peaks.push_back({.folder = graph.folder(),
                             .part = graph.part(),
                             .compute = graph.compute(),
                             .fixed = graph.fixed(),
                             .ledger = graph.ledger(plan::greatest(graph.part(), sizes), kind)});
    if (version)
      outcome.trtexec.push_back(plan::trtexec_line(graph, outcome.plan.graphs[i], *version));
  }
  if (card) outcome.card = report_card(graphs, sizes, card->first, card->second);
  if (!options.output.empty()) {
    AtomicFile file(options.output);
    file.write(plan::to_json(outcome.plan));
    file.commit();
  }
  if (options.json) {
    print_json(to_json(outcome));
  } else {
    print_text(outcome);
  }
  return kDone;
}

}  // namespace

Run declare_plan(CLI::App& app) {
  auto options =
      std::make_shared<Options>();  // shared by the parser's bindings and the returned function
  app.add_option("model", options->model, "a converted folder, or one .onnx file")->required();
  app.add_option("--size", options->size,
                 "WIDTHxHEIGHT in pixels, several with a colon, the main one first; else what the "
                 "family was trained on");
  app.add_option("--batch", options->batch,
                 "pictures at a time: the usual number, or with the most "
                 "as 1:4")
      ->capture_default_str();
  app.add_option("--windows", options->windows,
                 "windows of 77 tokens in a prompt: the usual number, or with the most")
      ->capture_default_str();
  app.add_flag("--no-guidance", options->no_guidance,
               "the UNet runs one row a picture, as distilled models do");
  app.add_flag("--narrow", options->narrow, "no margin around the sizes given");
  app.add_option("--gpu", options->gpu, "a card as rtx4090, or an architecture as sm89");
  app.add_option("--vram", options->vram,
                 "memory of the card, as 8GB; else that of the card that --gpu names");
  app.add_option("--trtexec", options->trtexec,
                 "also print the command lines for that TensorRT: 8.6, 10 or 11");
  app.add_option("-o,--output", options->output, "write the plan to this file, for sinter build");
  app.add_flag("--json", options->json, "print the result as JSON");
  return [options] { return run(*options); };
}

}  // namespace sinter::cli
