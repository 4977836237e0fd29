#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/base/process.h"
#include "sinter/cli/command.h"
#include "sinter/cli/engine_options.h"
#include "sinter/cli/json_output.h"
#include "sinter/cli/model_argument.h"
#include "sinter/cli/option_rules.h"
#include "sinter/cli/text.h"
#include "sinter/graph/onnx_model.h"
#include "sinter/verify/extents.h"
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
  int batch = 2;
  int width = 512;
  int height = 512;
  int sequence = 77;
  int threads = 0;
  std::string arithmetic = "graph";
  bool json = false;
};

/// One graph on one engine.
struct Row {
  fs::path model;
  std::string engine;
  double load_seconds;
  double median_seconds;
  double best_seconds;
  std::uint64_t peak_rss_bytes;  // of the whole process, loading and running
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The pixels or cells that a graph's height and width stand for.
verify::Symbols symbols_of(const Options& options, const fs::path& path) {
  const bool pixels = path.parent_path().filename() == "vae_encoder";
  const std::int64_t divisor = pixels ? 1 : 8;
  return {{"batch", options.batch},
          {"height", options.height / divisor},
          {"width", options.width / divisor},
          {"sequence", options.sequence},
          {"timesteps", options.batch}};
}

/// A graph that is ready to be timed.
struct Contender {
  Contender(const Options& options, const fs::path& file, const std::string& engine)
      : path(file), engine_name(engine), model(graph::OnnxModel::load(file)) {
    reset_peak_rss();
    const Clock::time_point start = Clock::now();
    const EngineOptions engine_options{.engine = engine,
                                       .arithmetic = options.arithmetic,
                                       .onnxruntime_library = {},
                                       .threads = options.threads};
    session = runtime::open_session(engine_named(engine), model, session_options(engine_options));
    load_seconds = seconds_since(start);
    inputs = verify::generated_inputs(model.inputs(), symbols_of(options, file));
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
    return {path,           engine_name,     load_seconds, sorted[sorted.size() / 2],
            sorted.front(), peak_rss_bytes()};
  }

  fs::path path;
  std::string engine_name;
  graph::OnnxModel model;
  std::unique_ptr<runtime::Session> session;
  runtime::TensorMap inputs;
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
  fmt::print("batch {}, {}x{}, {} tokens, {} runs after a warm-up\n", options.batch, options.width,
             options.height, options.sequence, options.runs);
  fmt::print("{:<44} {:<12} {:>9} {:>9} {:>9} {:>9}\n", "graph", "engine", "load", "step", "best",
             "peak RSS");
  for (const Row& row : rows) {
    fmt::print("{:<44} {:<12} {:>7.2f} s {:>7.3f} s {:>7.3f} s {:>9}\n", row.model.string(),
               row.engine, row.load_seconds, row.median_seconds, row.best_seconds,
               human_bytes(row.peak_rss_bytes));
  }
  if (options.against.empty()) return;
  for (std::size_t i = 0; i + 1 < rows.size(); i += 2) {
    fmt::print("{}: {:.2f} of the time of {}\n", rows[i].engine,
               rows[i].median_seconds / rows[i + 1].median_seconds, rows[i + 1].model.string());
  }
}

Json to_json(const Options& options, const std::vector<Row>& rows) {
  Json json{{"batch", options.batch},       {"width", options.width}, {"height", options.height},
            {"sequence", options.sequence}, {"runs", options.runs},   {"graphs", Json::array()}};
  for (const Row& row : rows) {
    json["graphs"].push_back({{"model", row.model.generic_string()},
                              {"engine", row.engine},
                              {"load_seconds", row.load_seconds},
                              {"step_seconds", row.median_seconds},
                              {"best_seconds", row.best_seconds},
                              {"peak_rss_bytes", row.peak_rss_bytes}});
  }
  return json;
}

int run(const Options& options) {
  if (options.width % 8 != 0 || options.height % 8 != 0)
    throw Error(ErrorCode::kUsage, fmt::format("{}x{} is not in multiples of 8 pixels",
                                               options.width, options.height));
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
  app.add_option("--batch", options->batch, "rows; guidance runs two a picture")
      ->capture_default_str()
      ->check(at_least(1));
  app.add_option("--width", options->width, "pixels")->capture_default_str()->check(at_least(1));
  app.add_option("--height", options->height, "pixels")->capture_default_str()->check(at_least(1));
  app.add_option("--sequence", options->sequence, "tokens of the context, 77 a window")
      ->capture_default_str()
      ->check(at_least(1));
  app.add_option("--threads", options->threads, "threads of the engine; 0: one a core")
      ->capture_default_str()
      ->check(at_least(0));
  app.add_flag("--json", options->json, "print the result as JSON");
  return [options] { return run(*options); };
}

}  // namespace sinter::cli
