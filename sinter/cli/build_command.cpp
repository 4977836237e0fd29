#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/base/hash.h"
#include "sinter/cli/builder_options.h"
#include "sinter/cli/command.h"
#include "sinter/cli/engine_plan.h"
#include "sinter/cli/interrupt.h"
#include "sinter/cli/json_output.h"
#include "sinter/cli/option_rules.h"
#include "sinter/cli/progress.h"
#include "sinter/cli/text.h"
#include "sinter/cli/version.h"
#include "sinter/engine/build_engine.h"
#include "sinter/plan/wanted.h"
#include "sinter/weights/converted_folder.h"

namespace sinter::cli {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
namespace {

struct Options {
  std::string folder;
  std::vector<std::string> gpus;
  EnginePlanOptions plan;
  BuilderOptions builder;
  std::vector<std::string> components;
  bool separate = false;
  bool strip = false;
  bool refittable = false;
  std::string refit;  // a folder with the new weights
  std::string workspace;
  bool json = false;
};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

/// The command as it could be typed again.
std::string command_line(const Options& options) {
  std::string words = fmt::format("sinter build {}", options.folder);
  if (!options.gpus.empty()) words += fmt::format(" --gpu {}", fmt::join(options.gpus, ","));
  const std::pair<const char*, const std::string*> texts[] = {
      {"--plan", &options.plan.plan},      {"--size", &options.plan.size},
      {"--batch", &options.plan.batch},    {"--engine", &options.builder.engine},
      {"--workspace", &options.workspace}, {"--refit", &options.refit},
  };
  for (const auto& [name, value] : texts)
    if (!value->empty() && (options.plan.plan.empty() ||
                            (value != &options.plan.size && value != &options.plan.batch)))
      words += fmt::format(" {} {}", name, *value);
  if (options.separate) words += " --separate";
  if (options.strip) words += " --strip";
  if (options.refittable) words += " --refittable";
  return words;
}

std::uint64_t bytes_of(const std::string& words) {
  return words.empty() ? 0 : plan::memory_size(words);
}

/// What sinter.json says of where the weights come from.
struct Origin {
  std::vector<engine::SourceFile> checkpoints;
  std::string adapters = "[]";
  Json graphs = Json::object();
};

engine::SourceFile hashed(const fs::path& path) {
  ByteProgress progress("hashing");
  const MappedFile file(path);
  Sha256 hash;
  constexpr std::size_t kPiece = std::size_t{64} << 20;
  const std::span<const std::byte> bytes = file.bytes();
  for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
    const std::size_t length = std::min(kPiece, bytes.size() - at);
    hash.update(bytes.subspan(at, length));
    file.forget(at, length);
    progress.update(path.filename().string(), at + length, bytes.size());
  }
  return {path.string(), bytes.size(), hash.hex()};
}

Origin origin_of(const fs::path& folder) {
  Origin origin;
  const fs::path record = folder / "sinter.json";
  if (!fs::exists(record)) return origin;
  const Json json = Json::parse(read_text(record), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return origin;
  if (json.contains("adapters") && json["adapters"].is_array())
    origin.adapters = json["adapters"].dump();
  if (json.contains("graphs") && json["graphs"].is_object()) origin.graphs = json["graphs"];
  const auto converted = weights::read_converted_folder(folder);
  if (!converted) return origin;
  for (const auto& source : converted->sources) {
    // A packed folder's checkpoint may be gone: then its record is what is known.
    if (fs::is_regular_file(source.path))
      origin.checkpoints.push_back(hashed(source.path));
    else
      origin.checkpoints.push_back({source.path, source.bytes, ""});
  }
  return origin;
}

/// The graphs of the plan that are asked for, in the plan's order.
std::vector<plan::GraphPlan> chosen_graphs(const plan::Plan& plan, const Options& options) {
  std::vector<std::string> known;
  for (const plan::GraphPlan& graph : plan.graphs) known.push_back(graph.folder);
  for (const std::string& word : options.components) {
    if (std::ranges::find(known, word) != known.end()) continue;
    throw Error(ErrorCode::kUsage, fmt::format("the plan has no graph '{}'", word),
                fmt::format("it has {}", fmt::join(known, ", ")));
  }
  std::vector<plan::GraphPlan> chosen;
  for (const plan::GraphPlan& graph : plan.graphs) {
    if (options.components.empty() ||
        std::ranges::find(options.components, graph.folder) != options.components.end())
      chosen.push_back(graph);
  }
  return chosen;
}

/// The architectures of each engine: one for all, or one each.
std::vector<std::vector<plan::ComputeCapability>> targets_of(const Options& options,
                                                             const plan::Plan& plan,
                                                             const Host& host) {
  std::vector<plan::ComputeCapability> named = architectures_named(options.gpus);
  if (engine::flavour_named(options.builder.engine) == engine::Flavour::kTensorRt) {
    if (!named.empty())
      throw Error(ErrorCode::kUsage, "--gpu is of TensorRT-RTX; TensorRT builds for the GPU here");
    return {{}};
  }
  if (named.empty() && !plan.gpu.empty()) named = architectures_named({plan.gpu});
  if (named.empty() && host.capability) named = {*host.capability};
  if (named.empty())
    throw Error(ErrorCode::kUsage, "no GPU is here, so which to build for has to be said",
                "--gpu sm89, or a name as rtx4090; several with commas");
  if (!options.separate) return {named};
  std::vector<std::vector<plan::ComputeCapability>> each;
  for (const plan::ComputeCapability& capability : named) each.push_back({capability});
  return each;
}

struct Built {
  engine::EngineRecord record;
  std::vector<std::string> warnings;
};

engine::EngineRecord common_record(const Options& options, const Host& host, const Origin& origin) {
  engine::EngineRecord record;
  record.checkpoints = origin.checkpoints;
  record.adapters = origin.adapters;
  record.refit = options.refittable ? engine::Refit::kAny
                 : options.strip    ? engine::Refit::kIdentical
                                    : engine::Refit::kNone;
  record.stripped = options.strip;
  record.system = host.system;
  record.driver = host.driver;
  record.sinter = kVersion;
  record.command = command_line(options);
  record.time = utc_now();
  return record;
}

std::string policy_of(const Origin& origin, const std::string& graph) {
  const auto found = origin.graphs.find(graph);
  if (found == origin.graphs.end() || !found->is_object()) return "{}";
  Json policy = Json::object();
  // What the graph computes in, and the record of how that was decided where there is one.
  for (const char* key : {"compute", "precision"})
    if (found->contains(key)) policy[key] = (*found)[key];
  return policy.dump();
}

std::vector<Built> build_all(const Options& options, engine::Backend& backend, const Host& host,
                             Progress& progress, const Interrupt& interrupt) {
  const plan::Plan plan = engine_plan(options.folder, options.plan);
  const auto targets = targets_of(options, plan, host);
  const std::vector<plan::GraphPlan> graphs = chosen_graphs(plan, options);
  const Origin origin = origin_of(options.folder);
  std::vector<Built> built;
  for (const plan::GraphPlan& graph : graphs) {
    for (const std::vector<plan::ComputeCapability>& architectures : targets) {
      engine::EngineOrder order{.folder = options.folder,
                                .record = common_record(options, host, origin),
                                .workspace_bytes = options.workspace.empty()
                                                       ? graph.workspace_bytes
                                                       : bytes_of(options.workspace),
                                .progress = {},
                                .now = seconds_now};
      order.record.graph = graph.folder;
      order.record.policy = policy_of(origin, graph.folder);
      order.record.profile = graph.profile;
      order.record.sizes = plan.sizes;
      order.record.architectures = architectures;
      const std::string title =
          fmt::format("{} for {}", graph.folder, engine::architecture_words(architectures, ", "));
      order.progress = [&](const engine::BuildProgress& step) {
        progress.update(title, step.fraction * 100, 100);
        return !interrupt.requested();
      };
      try {
        auto [record, warnings] = engine::build_engine(backend, order);
        built.push_back({std::move(record), std::move(warnings)});
      } catch (Error& error) {
        error.add_context(fmt::format("building {}", title));
        throw;
      }
      if (interrupt.requested()) throw engine::Stopped();
    }
  }
  return built;
}

/// Every engine of the folder that can take weights, with those of another conversion.
std::vector<Built> refit_all(const Options& options, engine::Backend& backend, const Host& host,
                             Progress& progress, const Interrupt& interrupt) {
  const Origin origin = origin_of(options.refit);
  std::vector<Built> built;
  for (const engine::EngineRecord& record :
       engine::read_manifest(fs::path(options.folder) / engine::kEnginesFolder)) {
    if (record.refit == engine::Refit::kNone || record.flavour != backend.flavour()) continue;
    if (!options.components.empty() &&
        std::ranges::find(options.components, record.graph) == options.components.end())
      continue;
    engine::EngineOrder order{.folder = options.refit,
                              .record = common_record(options, host, origin),
                              .workspace_bytes = 0,
                              .progress = {},
                              .now = seconds_now};
    order.record.policy = policy_of(origin, record.graph);
    progress.stage(fmt::format("refitting {}", record.file));
    built.push_back({engine::refit_engine(backend, options.folder, record, order), {}});
    if (interrupt.requested()) throw engine::Stopped();
  }
  if (built.empty()) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{} has no engines whose weights can be replaced", options.folder),
                "build them with --refittable, or with --strip");
  }
  return built;
}

void print_text(const Options& options, const std::vector<Built>& all) {
  const fs::path folder =
      fs::path(options.refit.empty() ? options.folder : options.refit) / engine::kEnginesFolder;
  for (const Built& built : all) {
    const engine::EngineRecord& record = built.record;
    print_words(stdout, "  {:<16} {:<12} {:>9}", record.graph,
                engine::architecture_words(record.architectures, ", "), human_bytes(record.bytes));
    if (record.memory.activations)
      print_words(stdout, "  runs in {:>9}", human_bytes(*record.memory.activations));
    print_words(stdout, "  {:>6.1f} s  {}\n", record.seconds, record.file);
  }
  print_words(stdout, "{} in {}\n", counted(all.size(), "engine"), folder.string());
}

void print_as_json(const std::vector<Built>& all) {
  std::vector<engine::EngineRecord> records;
  Json warnings = Json::array();
  for (const Built& built : all) {
    records.push_back(built.record);
    for (const std::string& warning : built.warnings)
      warnings.push_back(built.record.graph + ": " + warning);
  }
  Json json = Json::parse(engine::manifest_json(records));
  json.erase("format");
  json["warnings"] = warnings;
  print_json(json);
}

int run(const Options& options) {
  if (!fs::is_directory(options.folder))
    throw Error(ErrorCode::kUsage, fmt::format("{} is no folder", options.folder),
                "sinter convert makes a folder of graphs from a checkpoint");
  const Host host = look_at_host();
  // Before the library is loaded, what was asked for has to make sense.
  architectures_named(options.gpus);
  bytes_of(options.workspace);
  const auto backend = open_builder(options.builder);
  const Interrupt interrupt;
  Progress progress("building", "%");
  std::vector<Built> built;
  try {
    built = options.refit.empty() ? build_all(options, *backend, host, progress, interrupt)
                                  : refit_all(options, *backend, host, progress, interrupt);
  } catch (const engine::Stopped&) {
    progress.finish();
    print_words(stderr, "stopped; the engine that was being built has left nothing\n");
    interrupt.end();
  }
  progress.finish();
  for (const Built& one : built)
    for (const std::string& warning : one.warnings)
      print_words(stderr, "warning: {}: {}\n", one.record.graph, warning);
  options.json ? print_as_json(built) : print_text(options, built);
  return kDone;
}

}  // namespace

Run declare_build(CLI::App& app) {
  auto options =
      std::make_shared<Options>();  // shared by the parser's bindings and the returned function
  app.add_option("folder", options->folder, "a converted folder")->required();
  one_by_one(app.add_option("--gpu", options->gpus,
                            "which to build for: rtx4090, sm89; several with commas share an "
                            "engine (default: the plan's, or the one here)"));
  declare_engine_plan(app, options->plan);
  one_by_one(app.add_option("--component", options->components,
                            "only this graph: unet, vae_decoder, ... (repeatable)"));
  app.add_flag("--separate", options->separate, "an engine for each GPU instead of one for all");
  app.add_flag("--strip", options->strip,
               "without weights, which --refit puts in later (needs a GPU to build)");
  app.add_flag("--refittable", options->refittable,
               "so that --refit can give it any weights (needs a GPU to build)");
  app.add_option("--refit", options->refit,
                 "build nothing: write the refittable engines of folder with the weights of this "
                 "one, the same graphs converted from another checkpoint or with a LoRA");
  app.add_option("--workspace", options->workspace,
                 "most scratch memory of a layer, as 2GB (default: the plan's)");
  declare_builder(app, options->builder);
  app.add_flag("--json", options->json, "print the result as JSON");
  return [options] { return run(*options); };
}

}  // namespace sinter::cli
