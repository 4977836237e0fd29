#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "sinter/cli/command.h"
#include "sinter/cli/json_output.h"
#include "sinter/cli/progress.h"
#include "sinter/cli/text.h"
#include "sinter/fold/fold.h"

namespace sinter::cli {
using Json = nlohmann::ordered_json;
using fold::FoldReport;
namespace {

struct Options {
  std::string in;
  std::string out;
  std::string weights = "link";
  std::string library;
  bool unproven = false;
  bool json = false;
};

Json to_json(const FoldReport& report) {
  Json json{{"written", !report.files.empty()},
            {"files", Json::array()},
            {"nodes_before", report.nodes_before},
            {"nodes_after", report.nodes_after},
            {"constant_nodes", report.constants},
            {"identities", report.identities},
            {"known_sizes", report.sizes},
            {"idle_nodes", report.idle},
            {"folded", Json::array()},
            {"left", Json::array()},
            {"proof", {{"holds", report.proof.holds()}, {"runs", Json::array()}}}};
  for (const auto& file : report.files) json["files"].push_back(file.string());
  for (const fold::FoldedValue& value : report.folded) {
    json["folded"].push_back({{"name", value.name},
                              {"type", value.type},
                              {"shape", value.shape},
                              {"bytes", value.bytes},
                              {"nodes", value.nodes}});
  }
  for (const fold::Left& left : report.left) {
    json["left"].push_back({{"node", left.node}, {"op", left.op}, {"why", left.why}});
  }
  if (!report.proof.obstacle.empty()) json["proof"]["obstacle"] = report.proof.obstacle;
  for (const fold::ProofRun& run : report.proof.runs) {
    Json row{{"inputs", run.shapes}, {"outputs", Json::array()}};
    for (const fold::OutputDifference& output : run.outputs) {
      row["outputs"].push_back({{"name", output.output},
                                {"identical", output.identical},
                                {"largest_difference", output.largest},
                                {"scale", output.scale}});
    }
    json["proof"]["runs"].push_back(std::move(row));
  }
  return json;
}

// Reasons with how many nodes stay for them.
std::map<std::string, std::size_t> reasons(const FoldReport& report) {
  std::map<std::string, std::size_t> counts;
  for (const fold::Left& left : report.left) ++counts[fmt::format("{}: {}", left.op, left.why)];
  return counts;
}

void print_proof(const fold::Proof& proof) {
  if (!proof.obstacle.empty()) {
    print_words(stdout, "not compared with the original: {}\n", proof.obstacle);
    return;
  }
  for (const fold::ProofRun& run : proof.runs) {
    std::string sizes;
    for (const auto& [name, shape] : run.shapes) {
      sizes += fmt::format("{}{} {}", sizes.empty() ? "" : ", ", name, to_string(shape));
    }
    for (const fold::OutputDifference& output : run.outputs) {
      print_words(stdout, "  {} at {}: {}\n", output.output, sizes,
                  output.identical
                      ? std::string("the same bits")
                      : fmt::format("{} apart by {:.3g} of {:.3g}",
                                    output.equal ? "the same within rounding," : "DIFFERENT,",
                                    output.largest, output.scale));
    }
  }
}

void print(const FoldReport& report) {
  std::uint64_t bytes = 0;
  for (const fold::FoldedValue& value : report.folded) bytes += value.bytes;
  print_words(stdout, "{} nodes became {}\n", report.nodes_before, report.nodes_after);
  print_words(
      stdout,
      "  {} values computed once ({}), {} Constant nodes made weights, {} Identities and {} "
      "idle nodes removed, {} shapes that never change\n",
      report.folded.size(), human_bytes(bytes), report.constants, report.identities, report.idle,
      report.sizes);
  for (const auto& [reason, count] : reasons(report)) {
    print_words(stdout, "  left {} {}\n", count, reason);
  }
  print_proof(report.proof);
  if (report.files.empty()) {
    fmt::print("nothing was written: the folded graph computes something else\n");
    return;
  }
  for (const auto& file : report.files) print_words(stdout, "wrote {}\n", file.string());
}

int run(const Options& options) {
  Progress progress("fold", "%");
  const FoldReport report =
      fold::fold(options.in, options.out,
                 {.pack = options.weights == "pack",
                  .unproven = options.unproven,
                  .onnxruntime_library = options.library,
                  .progress = [&progress](std::string_view doing, double done, double total) {
                    progress.update(doing, 100 * done, 100 * total);
                  }});
  progress.finish();
  if (options.json) {
    print_json(to_json(report));
  } else {
    print(report);
  }
  return report.files.empty() ? kFindings : kDone;
}

}  // namespace

Run declare_fold(CLI::App& app) {
  auto options =
      std::make_shared<Options>();  // shared by the parser's bindings and the returned function
  app.add_option("in", options->in, "the ONNX file to read; it stays as it is")->required();
  app.add_option("out", options->out, "the ONNX file to write")->required();
  app.add_option("--weights", options->weights,
                 "link: external weights stay where they are; pack: copy them into one file")
      ->check(CLI::IsMember({"link", "pack"}))
      ->capture_default_str();
  app.add_option("--onnxruntime", options->library,
                 "the libonnxruntime.so to compute with instead of sinter's own");
  app.add_flag(
      "--unproven", options->unproven,
      "write it without running both graphs to compare them, which takes as much memory as "
      "the model");
  app.add_flag("--json", options->json, "print the result as JSON");
  return [options] { return run(*options); };
}

}  // namespace sinter::cli
