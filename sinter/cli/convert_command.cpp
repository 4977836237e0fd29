#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "sinter/cli/command.h"
#include "sinter/cli/conversion.h"
#include "sinter/cli/json_output.h"
#include "sinter/cli/progress.h"
#include "sinter/cli/text.h"

namespace sinter::cli {
using Json = nlohmann::ordered_json;
namespace {

struct Options {
  std::string checkpoint;
  std::string out;
  ConversionOptions conversion;
  bool json = false;
};

void print_text(const Options& options, const convert::ConvertReport& report, double seconds) {
  print_words(stdout, "{}: {} ({})\n", options.checkpoint, report.model.family,
              fmt::join(report.model.evidence, "; "));
  const bool link = options.conversion.weights == "link";
  for (const convert::GraphReport& graph : report.graphs) {
    print_words(stdout, "  {:<16} {:<9} {:>5} nodes  {:>9} {}\n", graph.folder,
                dtype_info(graph.compute).word, graph.nodes, human_bytes(graph.weight_bytes),
                link ? "linked" : "packed");
  }
  print_words(stdout, "{} written in {:.2f} s\n", options.out, seconds);
}

std::vector<std::string> warnings_of(const Options& options, const convert::ConvertReport& report) {
  std::vector<std::string> warnings = report.warnings;
  std::ranges::copy(scheduler_warnings(options.out), std::back_inserter(warnings));
  std::ranges::copy(report.portability, std::back_inserter(warnings));
  return warnings;
}

Json to_json(const Options& options, const convert::ConvertReport& report,
             const std::vector<std::string>& warnings, double seconds) {
  Json json{{"checkpoint", options.checkpoint},
            {"out", options.out},
            {"family", report.model.family},
            {"evidence", report.model.evidence},
            {"graphs", Json::array()},
            {"warnings", warnings},
            {"seconds", seconds}};
  for (const convert::GraphReport& graph : report.graphs) {
    json["graphs"].push_back({{"folder", graph.folder},
                              {"compute", dtype_info(graph.compute).word},
                              {"nodes", graph.nodes},
                              {"initializers", graph.initializers},
                              {"weight_bytes", graph.weight_bytes}});
  }
  return json;
}

int run(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  ByteProgress progress("packing");
  convert::ConvertOptions request = to_request(options.conversion, options.checkpoint);
  if (request.weights == convert::WeightStorage::kPack) {
    request.progress = [&](std::string_view folder, std::uint64_t done, std::uint64_t total) {
      progress.update(folder, done, total);
    };
  }
  const convert::ConvertReport report = convert::convert(options.checkpoint, options.out, request);
  progress.finish();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::vector<std::string> warnings = warnings_of(options, report);
  for (const std::string& warning : warnings) print_words(stderr, "warning: {}\n", warning);
  if (options.json) {
    print_json(to_json(options, report, warnings, seconds));
  } else {
    print_text(options, report, seconds);
  }
  return kDone;
}

}  // namespace

Run declare_convert(CLI::App& app) {
  auto options =
      std::make_shared<Options>();  // shared by the parser's bindings and the returned function
  app.add_option("checkpoint", options->checkpoint, "a .safetensors, .ckpt or .pt file, or a folder")->required();
  app.add_option("out", options->out, "folder to write")->required();
  declare_conversion(app, options->conversion);
  app.add_flag("--json", options->json, "print the result as JSON");
  return [options] { return run(*options); };
}

}  // namespace sinter::cli
