#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/base/process.h"
#include "sinter/cli/bench_size.h"
#include "sinter/cli/command.h"
#include "sinter/cli/engine_options.h"
#include "sinter/cli/json_output.h"
#include "sinter/cli/model_argument.h"
#include "sinter/cli/option_rules.h"
#include "sinter/cli/text.h"
#include "sinter/graph/onnx_model.h"
#include "sinter/verify/generated_inputs.h"

namespace sinter::cli {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
namespace {

struct Options {
  std::string model;
  std::string against;  // another .onnx file, timed in turn
  std::vector<std::string> engines{"openvino", "onnxruntime"};
  int runs = 5;
  AskedSize size;
  int threads = 0;
  std::string arithmetic = "graph";
  bool json = false;
};

/// One graph on one engine.
struct Row {
  fs::path model;
  std::string engine;
  RunSize size;
  double load_seconds;
  double median_seconds;
  double best_seconds;
  std::uint64_t peak_rss_bytes;  // of the whole process, loading and running
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A graph that is ready to be timed.
struct Contender {
  Contender(const Options& options, const fs::path& file, const std::string& engine)
      : path(file), engine_name(engine), model(graph::OnnxModel::load(file)) {
    const BenchSize sizes(file, model.inputs());
    inputs = verify::generated_inputs(model.inputs(), sizes.symbols(options.size));
    size = sizes.of(inputs);
    reset_peak_rss();
    const Clock::time_point start = Clock::now();
    const EngineOptions engine_options{.engine = engine,
                                       .arithmetic = options.arithmetic,
                                       .onnxruntime_library = {},
                                       .threads = options.threads};
    session = runtime::open_session(engine_named(engine), model, session_options(engine_options));
    load_seconds = seconds_since(start);
    session->run(inputs);  // the first run allocates and compiles kernels
  }

  void time() {
    const Clock::time_point start = Clock::now();
    session->run(inputs);
    times.push_back(seconds_since(start));
  }

  Row row() const {
    std::vector<double> sorted = times;
    std::ranges::sort(sorted);
    return {.model = path,
            .engine = engine_name,
            .size = size,
            .load_seconds = load_seconds,
            .median_seconds = sorted[sorted.size() / 2],
            .best_seconds = sorted.front(),
            .peak_rss_bytes = peak_rss_bytes()};
  }

  fs::path path;
  std::string engine_name;
  graph::OnnxModel model;
  std::unique_ptr<runtime::Session> session;
  runtime::TensorMap inputs;
  RunSize size;
  double load_seconds = 0;
  std::vector<double> times;
};

/// Times contenders in turn, so that a machine that slows down slows all of them.
std::vector<Row> race(const Options& options, const std::vector<fs::path>& paths,
                      const std::string& engine) {
  std::vector<std::unique_ptr<Contender>> contenders;
  for (const fs::path& path : paths)
    contenders.push_back(std::make_unique<Contender>(options, path, engine));
  for (int i = 0; i < options.runs; ++i) {
    for (const auto& contender : contenders) contender->time();
  }
  std::vector<Row> rows;
  for (const auto& contender : contenders) rows.push_back(contender->row());
  return rows;
}

void print_text(const Options& options, const std::vector<Row>& rows) {
  std::size_t graph = std::string_view("graph").size();
  std::size_t size = std::string_view("size").size();
  for (const Row& row : rows) {
    graph = std::max(graph, row.model.string().size());
    size = std::max(size, size_text(row.size).size());
  }
  fmt::print("{} {} after a warm-up\n", options.runs, options.runs == 1 ? "run" : "runs");
  fmt::print("{:<{}}  {:<{}}  {:<11} {:>9} {:>9} {:>9} {:>9}\n", "graph", graph, "size", size,
             "engine", "load", "step", "best", "peak RSS");
  for (const Row& row : rows) {
    fmt::print("{:<{}}  {:<{}}  {:<11} {:>7.2f} s {:>7.3f} s {:>7.3f} s {:>9}\n",
               row.model.string(), graph, size_text(row.size), size, row.engine, row.load_seconds,
               row.median_seconds, row.best_seconds, human_bytes(row.peak_rss_bytes));
  }
  if (options.against.empty()) return;
  for (std::size_t i = 0; i + 1 < rows.size(); i += 2) {
    fmt::print("{}: {:.2f} of the time of {}\n", rows[i].engine,
               rows[i].median_seconds / rows[i + 1].median_seconds, rows[i + 1].model.string());
  }
}

Json to_json(const Options& options, const std::vector<Row>& rows) {
  Json json{{"runs", options.runs}, {"graphs", Json::array()}};
  for (const Row& row : rows) {
    Json graph{{"model", row.model.generic_string()}, {"engine", row.engine}};
    const std::pair<const char*, std::optional<std::int64_t>> sizes[] = {
        {"batch", row.size.batch},
        {"width", row.size.width},
        {"height", row.size.height},
        {"sequence", row.size.sequence}};
    for (const auto& [name, value] : sizes) {
      if (value) graph[name] = *value;
    }
    graph["fixed"] = row.size.fixed;
    graph["load_seconds"] = row.load_seconds;
    graph["step_seconds"] = row.median_seconds;
    graph["best_seconds"] = row.best_seconds;
    graph["peak_rss_bytes"] = row.peak_rss_bytes;
    json["graphs"].push_back(std::move(graph));
  }
  return json;
}

int run(const Options& options) {
  const std::int64_t width = options.size.width.value_or(*kDefaultSize.width);
  const std::int64_t height = options.size.height.value_or(*kDefaultSize.height);
  if (width % 8 != 0 || height % 8 != 0)
    throw Error(ErrorCode::kUsage,
                fmt::format("{}x{} is not in multiples of 8 pixels", width, height));
  for (const std::string& engine : options.engines) engine_named(engine);  // before any work
  const std::vector<fs::path> models = models_at(options.model);
  std::vector<Row> rows;
  for (const std::string& engine : options.engines) {
    for (const fs::path& model : models) {
      std::vector<fs::path> contenders{model};
      if (!options.against.empty()) contenders.emplace_back(options.against);
      const std::vector<Row> timed = race(options, contenders, engine);
      rows.insert(rows.end(), timed.begin(), timed.end());
    }
  }
  if (options.json) {
    print_json(to_json(options, rows));
  } else {
    print_text(options, rows);
  }
  return kDone;
}

void declare_size(CLI::App& app, Options& options) {
  struct OptionRow {
    const char* option;
    std::optional<std::int64_t> AskedSize::*size;
    const char* words;
  };
  constexpr OptionRow kRows[] = {
      {"--batch", &AskedSize::batch, "rows; guidance runs two a picture"},
      {"--width", &AskedSize::width, "pixels"},
      {"--height", &AskedSize::height, "pixels"},
      {"--sequence", &AskedSize::sequence, "tokens of the context, 77 a window"}};
  for (const OptionRow& row : kRows) {
    app.add_option(row.option, options.size.*row.size, row.words)
        ->default_str(fmt::to_string(*(kDefaultSize.*row.size)))
        ->check(at_least(1));
  }
}

}  // namespace

Run declare_bench(CLI::App& app) {
  auto options =
      std::make_shared<Options>();  // shared by the parser's bindings and the returned function
  app.add_option("model", options->model, "a converted folder, or one .onnx file")->required();
  app.add_option("--against", options->against,
                 "another .onnx file of the same network, timed in turn with the first");
  one_by_one(
      app.add_option("--engine", options->engines, "openvino, onnxruntime, or both with a comma"))
      ->delimiter(',')
      ->default_str("openvino,onnxruntime");
  app.add_option("--arithmetic", options->arithmetic,
                 "graph: as the graph says; bf16, fp16, fastest: what the engine may use instead")
      ->capture_default_str();
  app.add_option("--runs", options->runs, "timed runs of each")
      ->capture_default_str()
      ->check(at_least(1));
  declare_size(app, *options);
  app.add_option("--threads", options->threads, "threads of the engine; 0: one a core")
      ->capture_default_str()
      ->check(at_least(0));
  app.add_flag("--json", options->json, "print the result as JSON");
  return [options] { return run(*options); };
}

}  // namespace sinter::cli
