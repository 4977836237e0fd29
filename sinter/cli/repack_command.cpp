#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "sinter/base/message.h"
#include "sinter/cli/command.h"
#include "sinter/cli/conversion.h"
#include "sinter/cli/failure.h"
#include "sinter/cli/json_output.h"
#include "sinter/cli/option_rules.h"
#include "sinter/cli/progress.h"
#include "sinter/cli/text.h"
#include "sinter/repack/repack.h"

namespace sinter::cli {
using Json = nlohmann::ordered_json;
namespace {

struct Options {
  std::string in;
  std::string out;
  std::string dtype = "keep";
  std::string layout;
  std::string prediction;
  std::vector<std::string> components;
  ConversionOptions opening;  // of them, how the checkpoint is opened
  bool prune = false;
  bool json = false;
};

repack::RepackOptions to_request(const Options& options) {
  require_known("type", options.dtype, {"fp32", "fp16", "bf16", "keep"});
  repack::RepackOptions request{.dtype = repack::dtype_from_word(options.dtype),
                                .prune = options.prune,
                                .components = options.components,
                                .open = open_options(options.opening)};
  for (const std::string& component : options.components)
    require_known("component", component, {"text_encoder", "text_encoder_2", "unet", "vae"});
  if (!options.layout.empty()) {
    require_known("layout", options.layout, {"original", "diffusers"});
    request.layout =
        options.layout == "original" ? repack::Layout::kOriginal : repack::Layout::kDiffusers;
  }
  if (!options.prediction.empty()) {
    request.detect.prediction = arch::prediction_from_name(options.prediction);
    if (!request.detect.prediction)
      throw unknown_name("prediction", options.prediction, {"epsilon", "v"});
  }
  request.extra_files = [in = options.in](const arch::Model& model) {
    return tokenizer_files(in, model);
  };
  return request;
}

void print_text(const Options& options, const repack::RepackReport& report, double seconds) {
  print_words(stdout, "{}: {}\n", options.in, report.what);
  for (const repack::WrittenFile& file : report.files) {
    print_words(stdout, "  {:<44} {:>12}  {:>9}\n", file.path.empty() ? options.out : file.path,
                counted(file.tensors, "tensor"), human_bytes(file.bytes));
  }
  for (const repack::LeftOut& row : report.left_out) {
    print_words(stdout, "  left out: {}: {}, {}, the first is '{}'\n", row.what,
                counted(row.tensors, "tensor"), human_bytes(row.bytes), shown(row.first));
  }
  const bool known = report.layout == "original" || report.layout == "diffusers";
  print_words(stdout, "{} written ({}) in {:.2f} s: {} instead of {}\n", options.out,
              known ? report.layout + " layout" : "names as they were", seconds,
              human_bytes(report.written_bytes), human_bytes(report.source_bytes));
}

Json to_json(const Options& options, const repack::RepackReport& report, double seconds) {
  Json json{{"in", options.in},
            {"out", options.out},
            {"what", report.what},
            {"layout", report.layout},
            {"dtype", options.dtype},
            {"files", Json::array()},
            {"left_out", Json::array()},
            {"source_bytes", report.source_bytes},
            {"written_bytes", report.written_bytes},
            {"warnings", report.warnings},
            {"seconds", seconds}};
  for (const repack::WrittenFile& file : report.files)
    json["files"].push_back(
        {{"path", file.path}, {"tensors", file.tensors}, {"bytes", file.bytes}});
  for (const repack::LeftOut& row : report.left_out)
    json["left_out"].push_back(
        {{"what", row.what}, {"tensors", row.tensors}, {"bytes", row.bytes}, {"first", row.first}});
  return json;
}

int run(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  ByteProgress progress("writing");
  repack::RepackOptions request = to_request(options);
  request.progress = [&](std::string_view file, std::uint64_t done, std::uint64_t total) {
    progress.update(printable(file), done, total);
  };
  const repack::RepackReport report = repack::repack(options.in, options.out, request);
  progress.finish();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const std::string& warning : report.warnings) print_words(stderr, "warning: {}\n", warning);
  if (options.json) {
    print_json(to_json(options, report, seconds));
  } else {
    print_text(options, report, seconds);
  }
  return kDone;
}

}  // namespace

Run declare_repack(CLI::App& app) {
  auto options =
      std::make_shared<Options>();  // shared by the parser's bindings and the returned function
  app.add_option("in", options->in, "a checkpoint, a component or an adapter: file or folder")
      ->required();
  app.add_option("out", options->out, "OUT.safetensors, or a new folder")->required();
  app.add_option("--dtype", options->dtype, "of the weights: fp32, fp16, bf16, keep")
      ->capture_default_str();
  app.add_option("--layout", options->layout,
                 "original: one file, as AUTOMATIC1111 and ComfyUI take it; diffusers: a folder; "
                 "default: by the name of OUT");
  app.add_flag("--prune", options->prune, "leave out moving averages, optimizer and training loss");
  one_by_one(app.add_option("--components", options->components,
                            "only these, separated by commas: text_encoder, text_encoder_2, unet, "
                            "vae"))
      ->delimiter(',');
  app.add_option("--prediction", options->prediction,
                 "what the UNet predicts where the file cannot tell: epsilon, v");
  declare_opening(app, options->opening);
  app.add_flag("--json", options->json, "print the result as JSON");
  return [options] { return run(*options); };
}

}  // namespace sinter::cli
