#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/check/check.h"
#include "sinter/cli/check_report.h"
#include "sinter/cli/command.h"
#include "sinter/cli/failure.h"
#include "sinter/cli/io_contract.h"
#include "sinter/cli/json_output.h"
#include "sinter/cli/option_rules.h"
#include "sinter/convert/io_profile.h"

namespace sinter::cli {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using check::Severity;
namespace {

struct Options {
  std::vector<std::string> models;
  std::vector<std::string> targets{"trt-rtx"};
  std::string contract;
  std::string component;
  std::vector<std::string> profiles;
  bool strict = false;
  bool json = false;
};

[[noreturn]] void refuse_profile(const std::string& text) {
  throw Error(ErrorCode::kUsage,
              fmt::format("'{}' is no profile, expected INPUT=MIN:OPT:MAX such as "
                          "sample=1x4x32x32:2x4x64x64:2x4x96x96",
                          text));
}

std::vector<std::int64_t> shape_from(std::string_view text, const std::string& whole) {
  std::vector<std::int64_t> shape;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('x', at), text.size());
    std::int64_t extent = 0;
    const auto [rest, error] = std::from_chars(text.data() + at, text.data() + end, extent);
    if (error != std::errc{} || rest != text.data() + end || extent < 0) refuse_profile(whole);
    shape.push_back(extent);
    at = end + 1;
  }
  return shape;
}

check::InputProfile profile_from(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == text.npos || equals == 0) refuse_profile(text);
  const std::string_view sizes = std::string_view(text).substr(equals + 1);
  const std::size_t first = sizes.find(':');
  const std::size_t second = first == sizes.npos ? first : sizes.find(':', first + 1);
  if (second == sizes.npos) refuse_profile(text);
  return {.input = text.substr(0, equals),
          .min = shape_from(sizes.substr(0, first), text),
          .opt = shape_from(sizes.substr(first + 1, second - first - 1), text),
          .max = shape_from(sizes.substr(second + 1), text)};
}

/// The ONNX files of an argument: itself, or those of a folder and of the folders in it.
std::vector<fs::path> graphs_of(const std::string& argument) {
  if (!fs::is_directory(argument)) return {argument};
  std::vector<fs::path> found;
  const auto look = [&](const fs::path& folder) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".onnx" && entry.is_regular_file()) {
        found.push_back(entry.path());
      }
    }
  };
  look(argument);
  for (const fs::directory_entry& entry : fs::directory_iterator(argument)) {
    if (entry.is_directory()) look(entry.path());
  }
  std::ranges::sort(found);
  if (found.empty()) {
    throw Error(ErrorCode::kBadFile, fmt::format("there is no ONNX file in {}", argument),
                "name a .onnx file, or a folder that convert wrote");
  }
  return found;
}

CheckedGraph check_one(const Options& options, const graph::Outline& file, const fs::path& path,
                       std::string_view target) {
  check::Options wanted{.target = check::target_named(target)};
  std::string contract;
  if (!options.contract.empty()) {
    const std::string component =
        options.component.empty() ? component_of(file, options.contract) : options.component;
    wanted.contract = io_contract(options.contract, component);
    contract = fmt::format("{}'s {}", options.contract, component);
  }
  for (const std::string& profile : options.profiles) {
    wanted.profile.push_back(profile_from(profile));
  }
  const auto opset = file.opsets.find("");
  return {.file = path.string(),
          .target = &check::facts(wanted.target),
          .opset = opset == file.opsets.end() ? 0 : opset->second,
          .producer = file.producer,
          .contract = contract,
          .report = check::check(file, wanted)};
}

int run(const Options& options) {
  if (!options.component.empty() && options.contract.empty()) {
    throw Error(ErrorCode::kUsage, "--component says whose contract it is and needs --contract");
  }
  // Before the first file is read: a wrong word is not worth waiting for.
  for (const std::string& target : options.targets) require_row("target", target, check::targets());
  if (!options.contract.empty())
    require_row("I/O profile", options.contract, convert::io_profiles());
  Json all = Json::array();
  int status = kDone;
  for (const std::string& model : options.models) {
    for (const fs::path& path : graphs_of(model)) {
      const graph::Outline file = graph::read_outline(path);
      for (const std::string& target : options.targets) {
        const CheckedGraph checked = check_one(options, file, path, target);
        const check::Report& report = checked.report;
        const bool bad = report.count(Severity::kError) > 0 ||
                         (options.strict && report.count(Severity::kWarning) > 0);
        if (bad) status = kFindings;
        if (options.json) {
          all.push_back(to_json(checked));
        } else {
          print(checked);
        }
      }
    }
  }
  if (options.json) print_json({{"graphs", all}});
  return status;
}

}  // namespace

Run declare_check(CLI::App& app) {
  auto options =
      std::make_shared<Options>();  // shared by the parser's bindings and the returned function
  app.add_option("models", options->models, "ONNX files, or folders of them")->required();
  app.add_option(
         "--target", options->targets,
         "what has to read it, separated by commas: trt8.6, trt10, trt11, trt-rtx, ort-cpu, "
         "ort-cuda, openvino")
      ->delimiter(',')
      ->default_str("trt-rtx");
  app.add_option("--contract", options->contract,
                 "whose names of inputs and outputs it has to have: optimum, ldm, demodiffusion, "
                 "comfy, a1111");
  app.add_option("--component", options->component,
                 "what it is to that program: text_encoder, text_encoder_2, unet, vae_decoder, "
                 "vae_encoder, controlnet; default: by its folder, else by its names");
  one_by_one(app.add_option("--profile", options->profiles,
                            "sizes of a dynamic input, INPUT=MIN:OPT:MAX such as "
                            "sample=1x4x32x32:2x4x64x64:2x4x96x96 (repeatable)"));
  app.add_flag("--strict", options->strict, "warnings fail as errors do");
  app.add_flag("--json", options->json, "print the result as JSON");
  return [options] { return run(*options); };
}

}  // namespace sinter::cli
