#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "sinter/base/message.h"
#include "sinter/cli/adapter_options.h"
#include "sinter/cli/command.h"
#include "sinter/cli/conversion.h"
#include "sinter/cli/json_output.h"
#include "sinter/cli/precision_options.h"
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

void print_text(const Options& options, const convert::ConvertReport& report,
                const adapters::Adaptation* adaptation, double seconds) {
  print_words(stdout, "{}: {} ({})\n", options.checkpoint, report.model.family,
              fmt::join(report.model.evidence, "; "));
  const bool link = options.conversion.weights == "link";
  for (const convert::GraphReport& graph : report.graphs) {
    print_words(stdout, "  {:<16} {:<9} {:>5} nodes  {:>9} {}\n", graph.folder,
                dtype_info(graph.compute).word, graph.nodes, human_bytes(graph.weight_bytes),
                link ? "linked" : "packed");
    if (graph.exact_modules > 0)
      print_words(stdout, "  {:<16} {} in float32\n", "", counted(graph.exact_modules, "module"));
  }
  if (adaptation != nullptr)
    for (const std::string& line : adapter_lines(*adaptation)) print_words(stdout, "  {}\n", line);
  if (report.computed_tensors > 0)
    print_words(stdout, "  {} computed, {}\n", counted(report.computed_tensors, "tensor"),
                human_bytes(report.computed_bytes));
  print_words(stdout, "{} written in {:.2f} s\n", options.out, seconds);
}

std::vector<std::string> warnings_of(const Options& options, const convert::ConvertReport& report,
                                     const adapters::Adaptation* adaptation) {
  std::vector<std::string> warnings = report.warnings;
  if (adaptation != nullptr)
    std::ranges::move(adapter_warnings(*adaptation), std::back_inserter(warnings));
  std::ranges::copy(scheduler_warnings(options.out), std::back_inserter(warnings));
  std::ranges::copy(report.portability, std::back_inserter(warnings));
  return warnings;
}

Json to_json(const Options& options, const convert::ConvertReport& report,
             const adapters::Adaptation* adaptation, const std::vector<std::string>& warnings,
             double seconds) {
  Json json{{"checkpoint", options.checkpoint},
            {"out", options.out},
            {"family", report.model.family},
            {"evidence", report.model.evidence},
            {"graphs", Json::array()},
            {"adapters", adaptation == nullptr ? Json::array() : adapters_json(*adaptation)},
            {"computed", {{"tensors", report.computed_tensors}, {"bytes", report.computed_bytes}}},
            {"warnings", warnings},
            {"seconds", seconds}};
  for (const convert::GraphReport& graph : report.graphs) {
    json["graphs"].push_back({{"folder", graph.folder},
                              {"compute", dtype_info(graph.compute).word},
                              {"float32_modules", graph.exact_modules},
                              {"nodes", graph.nodes},
                              {"initializers", graph.initializers},
                              {"weight_bytes", graph.weight_bytes}});
  }
  return json;
}

int run(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  ByteProgress progress("writing");
  convert::ConvertOptions request = to_request(options.conversion, options.checkpoint);
  const bool pack = request.weights == convert::WeightStorage::kPack;
  request.progress = [&](std::string_view folder, std::uint64_t done, std::uint64_t total) {
    // Linking is over before a line could be read.
    if (pack || folder == convert::kDeltaFile) progress.update(folder, done, total);
  };
  const auto adaptation = add_adapters(options.conversion, request);
  std::vector<std::string> strays =
      add_policy(options.conversion, options.checkpoint, options.out, request);
  const convert::ConvertReport report = convert::convert(options.checkpoint, options.out, request);
  progress.finish();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::vector<std::string> warnings = warnings_of(options, report, adaptation.get());
  std::ranges::move(strays, std::back_inserter(warnings));
  for (const std::string& warning : warnings) print_words(stderr, "warning: {}\n", warning);
  if (options.json) {
    print_json(to_json(options, report, adaptation.get(), warnings, seconds));
  } else {
    print_text(options, report, adaptation.get(), seconds);
  }
  return kDone;
}

}  // namespace

Run declare_convert(CLI::App& app) {
  auto options =
      std::make_shared<Options>();  // shared by the parser's bindings and the returned function
  app.add_option("checkpoint", options->checkpoint,
                 "a .safetensors, .ckpt or .pt file, or a folder")
      ->required();
  app.add_option("out", options->out, "folder to write")->required();
  declare_conversion(app, options->conversion);
  app.add_flag("--json", options->json, "print the result as JSON");
  return [options] { return run(*options); };
}

}  // namespace sinter::cli
