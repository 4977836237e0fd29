#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/cli/builder_options.h"
#include "sinter/cli/command.h"
#include "sinter/cli/json_output.h"
#include "sinter/cli/text.h"
#include "sinter/engine/engine_file.h"
#include "sinter/engine/layer_report.h"
#include "sinter/engine/manifest.h"

namespace sinter::cli {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
namespace {

struct Options {
  std::string path;
  BuilderOptions builder;
  bool inspect = false;
  bool kernels = false;
  bool json = false;
};

/// An engine with its graph where the manifest names it.
struct Row {
  fs::path file;
  engine::EngineHeader header;
  engine::EngineProgram program;
  engine::EngineLayers layers;
  std::optional<engine::GraphLayers> graph;
  std::optional<engine::EngineMemory> memory;
  std::string inspector;  // its JSON; empty: not asked
};

Row read_row(const fs::path& path, const Options& options) {
  const MappedFile file(path);
  Row row;
  row.file = path;
  row.header = engine::read_engine_header(
      file.bytes().first(std::min(file.bytes().size(), engine::kEngineHeaderBytes)),
      file.bytes().size());
  row.program = engine::read_engine_program(file.bytes());
  row.layers = engine::layers_of_engine(row.program);
  if (options.inspect) row.inspector = open_builder(options.builder)->inspect(file.bytes());
  const fs::path engines = path.parent_path();
  for (const engine::EngineRecord& record : engine::read_manifest(engines)) {
    if (record.file != path.filename()) continue;
    row.memory = record.memory;
    const fs::path model = engines.parent_path() / record.onnx.path;
    std::error_code ignored;
    if (fs::exists(model, ignored))
      row.graph = engine::layers_of_graph(graph::OnnxModel::load(model));
  }
  return row;
}

std::vector<fs::path> engines_at(const Options& options) {
  if (!fs::is_directory(options.path)) return {options.path};
  const fs::path engines = fs::path(options.path) / engine::kEnginesFolder;
  std::vector<fs::path> files;
  for (const engine::EngineRecord& record : engine::read_manifest(engines))
    files.push_back(engines / record.file);
  if (files.empty())
    throw Error(ErrorCode::kUsage, fmt::format("{} has no engines", options.path),
                fmt::format("sinter build {} makes them", options.path));
  return files;
}

std::string counts(const std::map<std::string, std::size_t>& by_word) {
  std::string words;
  for (const auto& [word, count] : by_word)
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", count, word);
  return words;
}

void print_graph(const engine::GraphLayers& graph) {
  print_words(stdout, "  graph: results of {}\n", counts(graph.nodes_by_type));
  if (graph.float32_modules.empty()) return;
  print_words(stdout, "  kept in float32: {}\n", counted(graph.float32_modules.size(), "module"));
  constexpr std::size_t kShown = 8;
  std::size_t shown = 0;
  for (const auto& [module, nodes] : graph.float32_modules) {
    if (++shown > kShown) break;
    print_words(stdout, "    {} ({})\n", module, counted(nodes, "node"));
  }
  if (graph.float32_modules.size() > kShown)
    print_words(stdout, "    ... --json lists all\n");
}

void print_row(const Row& row, const Options& options) {
  print_words(stdout, "{}: {} {}, {}\n", row.file.string(),
              engine::flavour_info(row.header.flavour).name, row.header.version.text(),
              engine::architecture_words(row.header.architectures, ", "));
  if (!row.layers.known) {
    print_words(stdout,
                "  what it runs cannot be read from the file; --inspect asks it on its GPU\n");
  } else {
    print_words(stdout, "  {}, results of {}\n", counted(row.layers.kernels, "kernel"),
                counts(row.layers.kernels_by_type));
    std::string expected;
    if (row.graph)
      expected = row.graph->self + row.graph->cross > 0
                     ? fmt::format(" of {} ({}+{}, self and cross)", row.graph->attentions,
                                   row.graph->self, row.graph->cross)
                     : fmt::format(" of {}", row.graph->attentions);
    print_words(stdout, "  fused attention: {}{}\n", row.layers.fused_attentions, expected);
    print_words(stdout, "  fused group norms: {}\n", row.layers.fused_norms);
    for (const std::string& module : row.layers.unfused_attentions)
      print_words(stdout, "    not fused: {}\n", module);
  }
  if (row.graph) print_graph(*row.graph);
  if (options.kernels) {
    for (const engine::Kernel& kernel : row.program.kernels)
      print_words(stdout, "  {:<8} {:<18} {} <- {}{}\n", kernel.type, kernel.operation,
                  kernel.name.substr(0, 48), kernel.layers.front(),
                  kernel.layers.size() > 1 ? fmt::format(" and {} more", kernel.layers.size() - 1)
                                           : std::string());
  }
  if (!row.inspector.empty()) print_words(stdout, "{}\n", row.inspector);
}

Json to_json(const Row& row) {
  Json architectures = Json::array();
  for (const plan::ComputeCapability& capability : row.header.architectures)
    architectures.push_back(capability.name());
  Json json{{"file", row.file.string()},
            {"flavour", engine::flavour_info(row.header.flavour).word},
            {"version", row.header.version.text()},
            {"compute_capabilities", architectures},
            {"known", row.layers.known},
            {"kernels", row.layers.kernels},
            {"kernels_by_type", row.layers.kernels_by_type},
            {"fused_attentions", row.layers.fused_attentions},
            {"unfused_attentions", row.layers.unfused_attentions},
            {"fused_norms", row.layers.fused_norms},
            {"expected_attentions", nullptr},
            {"float32_modules", nullptr},
            {"layers", Json::array()},
            {"inspector", row.inspector.empty()
                              ? Json(nullptr)
                              : Json::parse(row.inspector, nullptr, /*allow_exceptions=*/false)}};
  if (row.graph) {
    json["expected_attentions"] = {{"all", row.graph->attentions},
                                   {"self", row.graph->self},
                                   {"cross", row.graph->cross}};
    json["float32_modules"] = row.graph->float32_modules;
  }
  for (const engine::Kernel& kernel : row.program.kernels)
    json["layers"].push_back({{"operation", kernel.operation},
                              {"kernel", kernel.name},
                              {"type", kernel.type},
                              {"nodes", kernel.layers}});
  return json;
}

int run(const Options& options) {
  Json json{{"engines", Json::array()}};
  for (const fs::path& file : engines_at(options)) {
    const Row row = read_row(file, options);
    if (options.json) {
      json["engines"].push_back(to_json(row));
    } else {
      print_row(row, options);
    }
  }
  if (options.json) print_json(json);
  return kDone;
}

}  // namespace

Run declare_layers(CLI::App& app) {
  auto options =
      std::make_shared<Options>();  // shared by the parser's bindings and the returned function
  app.add_option("engine", options->path, "an engine, or a converted folder with engines")
      ->required();
  app.add_flag("--kernels", options->kernels, "list every kernel with the nodes that it computes");
  app.add_flag("--inspect", options->inspect,
               "ask the engine itself too (loads it: needs a GPU of its architecture)");
  declare_builder(app, options->builder);
  app.add_flag("--json", options->json, "print the result as JSON");
  return [options] { return run(*options); };
}

}  // namespace sinter::cli
