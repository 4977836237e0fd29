#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/cli/builder_options.h"
#include "sinter/cli/command.h"
#include "sinter/cli/json_output.h"
#include "sinter/cli/text.h"
#include "sinter/engine/engine_file.h"
#include "sinter/engine/serving.h"
#include "sinter/plan/wanted.h"

namespace sinter::cli {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
namespace {

struct Options {
  std::string folder;
  std::string size;
  std::int64_t batch = 0;
  std::string gpu;
  std::string library;
  bool json = false;
};

struct Row {
  engine::EngineRecord record;
  engine::ServingVerdict verdict;
};

/// What is wrong with the file itself, before anything of it is believed.
void check_file(const fs::path& path, const engine::EngineRecord& record,
                std::vector<std::string>& reasons) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) {
    reasons.emplace_back("its file is missing");
    return;
  }
  try {
    const MappedFile file(path);
    const engine::EngineHeader header = engine::read_engine_header(
        file.bytes().first(std::min(file.bytes().size(), engine::kEngineHeaderBytes)),
        file.bytes().size());
    if (file.bytes().size() != record.bytes || header.version != record.version)
      reasons.emplace_back("its file is not the one that was built");
  } catch (const Error& error) {
    reasons.push_back(error.message());
  }
}

engine::ServingMachine machine_of(const Options& options, const Host& host) {
  engine::ServingMachine machine;
  machine.gpu = options.gpu.empty() ? host.capability
                                    : std::optional(plan::gpu_named(options.gpu).capability);
  for (const engine::FlavourInfo& flavour : engine::flavours()) {
    const auto backend =
        find_builder({.engine = std::string(flavour.word), .library = options.library});
    if (backend != nullptr) machine.libraries.emplace(flavour.flavour, backend->version());
  }
  return machine;
}

engine::ServingRequest request_of(const Options& options) {
  engine::ServingRequest request{.width = 0, .height = 0, .batch = options.batch, .tokens = 0};
  if (options.size.empty()) return request;
  const plan::PictureSize size = plan::picture_sizes(options.size).front();
  request.width = size.width;
  request.height = size.height;
  return request;
}

/// The command that builds what was asked for.
std::string build_line(const Options& options, const engine::ServingMachine& machine) {
  std::string line = fmt::format("sinter build {}", options.folder);
  if (machine.gpu) line += " --gpu " + machine.gpu->name();
  if (!options.size.empty()) line += " --size " + options.size;
  if (options.batch > 0) line += fmt::format(" --batch {}", options.batch);
  return line;
}

Json to_json(const std::vector<Row>& rows, const Options& options,
             const engine::ServingMachine& machine, bool every) {
  std::vector<engine::EngineRecord> records;
  for (const Row& row : rows) records.push_back(row.record);
  Json json = Json::parse(engine::manifest_json(records));
  json.erase("format");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    json["engines"][i]["serves"] = rows[i].verdict.reasons.empty();
    json["engines"][i]["reasons"] = rows[i].verdict.reasons;
  }
  json["gpu"] = machine.gpu ? Json(machine.gpu->name()) : Json(nullptr);
  json["every_graph_served"] = every;
  json["build"] = every ? Json(nullptr) : Json(build_line(options, machine));
  return json;
}

void print_text(const std::vector<Row>& rows, const Options& options,
                const engine::ServingMachine& machine, bool every) {
  for (const Row& row : rows) {
    print_words(stdout, "{} {:<16} {}\n", row.verdict.reasons.empty() ? "serves" : "no    ",
                row.record.graph, row.record.file);
    for (const std::string& reason : row.verdict.reasons)
      print_words(stdout, "         {}\n", reason);
  }
  if (rows.empty()) print_words(stdout, "{} has no engines\n", options.folder);
  if (!every) print_words(stdout, "to build one: {}\n", build_line(options, machine));
}

/// Whether each graph of the manifest has an engine that serves.
bool every_graph_served(const std::vector<Row>& rows) {
  return !rows.empty() && std::ranges::all_of(rows, [&](const Row& row) {
    return std::ranges::any_of(rows, [&](const Row& other) {
      return other.record.graph == row.record.graph && other.verdict.reasons.empty();
    });
  });
}

int run(const Options& options) {
  if (!fs::is_directory(options.folder))
    throw Error(ErrorCode::kUsage, fmt::format("{} is no folder", options.folder));
  const engine::ServingRequest request = request_of(options);
  const engine::ServingMachine machine = machine_of(options, look_at_host());
  const fs::path engines = fs::path(options.folder) / engine::kEnginesFolder;
  std::vector<Row> rows;
  for (const engine::EngineRecord& record : engine::read_manifest(engines)) {
    Row row{record, engine::judge(record, machine, request)};
    check_file(engines / record.file, record, row.verdict.reasons);
    rows.push_back(std::move(row));
  }
  const bool every = every_graph_served(rows);
  if (options.json) {
    print_json(to_json(rows, options, machine, every));
  } else {
    print_text(rows, options, machine, every);
  }
  return every ? kDone : kFindings;
}

}  // namespace

Run declare_engines(CLI::App& app) {
  auto options =
      std::make_shared<Options>();  // shared by the parser's bindings and the returned function
  app.add_option("folder", options->folder, "a converted folder with engines")->required();
  app.add_option("--size", options->size, "of the pictures that are wanted, WIDTHxHEIGHT");
  app.add_option("--batch", options->batch, "how many at a time")->check(CLI::Range(1, 64));
  app.add_option("--gpu", options->gpu, "asked for this GPU instead of the one here");
  app.add_option("--library", options->library, "folder with the library's files");
  app.add_flag("--json", options->json, "print the result as JSON");
  return [options] { return run(*options); };
}

}  // namespace sinter::cli
