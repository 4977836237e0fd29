#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "sinter/base/error.h"
#include "sinter/cli/command.h"
#include "sinter/cli/json_output.h"
#include "sinter/cli/option_rules.h"
#include "sinter/cli/text.h"
#include "sinter/deploy/triton.h"

namespace sinter::cli {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
namespace {

struct Options {
  std::string server;
  std::string folder;
  std::string out;
  std::string backend = "onnxruntime";
  std::string engines;
  std::int64_t max_batch = 4;
  int instances = 1;
  std::string kind = "auto";
  std::int64_t queue_delay_us = 100;
  bool json = false;
};

std::string instance_kind(const std::string& word) {
  if (word == "gpu") return "KIND_GPU";
  return word == "cpu" ? "KIND_CPU" : "KIND_AUTO";
}

Json to_json(const Options& options, const deploy::TritonReport& report) {
  Json json{{"repository", options.out},
            {"models", Json::array()},
            {"pipeline", report.pipeline.empty() ? Json(nullptr) : Json(report.pipeline)},
            {"linked", report.linked}};
  if (!report.no_pipeline.empty()) json["no_pipeline"] = report.no_pipeline;
  for (const deploy::TritonModel& model : report.models) {
    json["models"].push_back({{"name", model.name},
                              {"backend", model.backend},
                              {"max_batch_size", model.max_batch},
                              {"bytes", model.bytes},
                              {"files", model.files}});
  }
  return json;
}

void print(const Options& options, const deploy::TritonReport& report) {
  for (const deploy::TritonModel& model : report.models) {
    print_words(stdout, "{}: {}, {}{}\n", model.name, model.backend,
                model.max_batch > 0 ? fmt::format("up to {} rows at once", model.max_batch)
                                    : std::string("one request at a time"),
                model.bytes > 0 ? fmt::format(", {}", human_bytes(model.bytes)) : std::string());
  }
  if (report.pipeline.empty()) {
    print_words(stdout, "no model drives the others: {}\n", report.no_pipeline);
  } else {
    print_words(stdout, "{} draws pictures with them: PROMPT in, IMAGE out\n", report.pipeline);
  }
  if (report.linked) {
    fmt::print(
        "weights are those of the checkpoint, once a model; before copying the repository "
        "elsewhere, convert with --weights pack\n");
  }
  print_words(stdout, "serve it: tritonserver --model-repository={}\n",
              fs::absolute(options.out).lexically_normal().string());
}

int run(const Options& options) {
  if (!options.engines.empty() && options.backend != "tensorrt") {
    throw Error(ErrorCode::kUsage, "--engines names TensorRT plans and needs --backend tensorrt");
  }
  const fs::path engines =
      options.engines.empty() ? fs::path(options.folder) / "engines" : fs::path(options.engines);
  const deploy::TritonReport report =
      deploy::export_triton(options.folder, options.out,
                            {.tensorrt = options.backend == "tensorrt",
                             .engines = engines,
                             .max_batch = options.max_batch,
                             .instances = options.instances,
                             .kind = instance_kind(options.kind),
                             .queue_delay_us = options.queue_delay_us});
  if (options.json) {
    print_json(to_json(options, report));
  } else {
    print(options, report);
  }
  return kDone;
}

}  // namespace

Run declare_export(CLI::App& app) {
  auto options =
      std::make_shared<Options>();  // shared by the parser's bindings and the returned function
  app.add_option("server", options->server, "what to write it for: triton")
      ->required()
      ->check(CLI::IsMember({"triton"}));
  app.add_option("folder", options->folder, "a folder that convert wrote")->required();
  app.add_option("out", options->out, "the model repository to write")->required();
  app.add_option("--backend", options->backend,
                 "onnxruntime: the graphs; tensorrt: engines, one for each compute capability")
      ->check(CLI::IsMember({"onnxruntime", "tensorrt"}))
      ->capture_default_str();
  app.add_option("--engines", options->engines,
                 "folder of the engines; default: engines in the converted folder");
  app.add_option("--max-batch", options->max_batch,
                 "rows that a model takes at once where its graph leaves them free; 0: no batching")
      ->check(at_least(0))
      ->capture_default_str();
  app.add_option("--instances", options->instances, "copies of each model at work")
      ->check(at_least(1))
      ->capture_default_str();
  app.add_option("--instance-kind", options->kind, "where they run: auto, gpu, cpu")
      ->check(CLI::IsMember({"auto", "gpu", "cpu"}))
      ->capture_default_str();
  app.add_option("--queue-delay", options->queue_delay_us,
                 "how long a request may wait for others to join it, in microseconds")
      ->check(at_least(0))
      ->capture_default_str();
  app.add_flag("--json", options->json, "print the result as JSON");
  return [options] { return run(*options); };
}

}  // namespace sinter::cli
