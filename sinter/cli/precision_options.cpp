#include "sinter/cli/precision_options.h"

#include <fmt/format.h>

#include <charconv>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/cli/option_rules.h"
#include "sinter/cli/progress.h"
#include "sinter/convert/output_folder.h"
#include "sinter/pipeline/generate_options.h"
#include "sinter/precision/decide.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* kAuto = "auto";

/// "512x768", width first, to numbers.
pipeline::PictureSize parse_picture_size(const std::string& text) {
  pipeline::PictureSize size{0, 0};
  const char* const end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, size.width);
  if (width.ec == std::errc{} && width.ptr != end && *width.ptr == 'x') {
    const auto height = std::from_chars(width.ptr + 1, end, size.height);
    if (height.ec == std::errc{} && height.ptr == end && size.width > 0 && size.height > 0)
      return size;
  }
  throw Error(
      ErrorCode::kUsage,
      fmt::format("--calibration-size is '{}', expected WIDTHxHEIGHT in pixels, for example "
                  "512x512",
                  text));
}

bool is_auto(const ConversionOptions& options) {
  return options.precision == kAuto || vae_precision_of(options) == kAuto;
}

void require_auto(const ConversionOptions& options) {
  const CalibrationOptions& calibration = options.calibration;
  if (calibration.prompts.empty() && calibration.size.empty() && !calibration.steps) return;
  throw Error(ErrorCode::kUsage, "the options of calibration are for --precision auto",
              "without it nothing is run");
}

precision::Calibration calibration_of(const CalibrationOptions& options) {
  precision::Calibration calibration;
  calibration.prompts = options.prompts;
  if (options.steps) calibration.steps = *options.steps;
  if (!options.size.empty()) {
    const pipeline::PictureSize size = parse_picture_size(options.size);
    calibration.width = size.width;
    calibration.height = size.height;
  }
  return calibration;
}

}  // namespace

std::string vae_precision_of(const ConversionOptions& options) {
  if (!options.vae_precision.empty()) return options.vae_precision;
  return options.precision == kAuto ? kAuto : "fp32";
}

void declare_calibration(CLI::App& app, CalibrationOptions& options) {
  one_by_one(app.add_option("--calibration-prompt", options.prompts,
                            "of --precision auto: run the model on this prompt instead of two of "
                            "sinter's (repeatable)"));
  app.add_option("--calibration-size", options.size,
                 "likewise: WIDTHxHEIGHT in pixels; default: the model's, at most 512x512");
  app.add_option_function<int>(
         "--calibration-steps", [&options](const int& steps) { options.steps = steps; },
         "likewise: steps of the sampler; default: 4")
      ->transform(whole_number(1, pipeline::kMostSteps));
}

std::vector<std::string> add_policy(const ConversionOptions& options, const std::string& checkpoint,
                                    const fs::path& out, convert::ConvertOptions& request) {
  if (!is_auto(options)) {
    require_auto(options);
    return {};
  }
  const fs::path place = convert::output_place(out);
  convert::require_replaceable(place, checkpoint);
  fs::path beside = place;
  beside += ".calibration";
  const AtomicFolder scratch(beside);
  Progress progress("calibrating", "");
  precision::Calibration calibration = calibration_of(options.calibration);
  calibration.progress = [&](std::string_view what) { progress.stage(what); };
  const precision::RequestMaker make_request = [&] {
    convert::ConvertOptions fresh = to_request(options, checkpoint);
    add_adapters(options, fresh);
    return fresh;
  };
  precision::Decision decision =
      precision::decide(checkpoint, scratch.staging(), make_request, calibration);
  progress.finish();
  request.policy = std::move(decision.policy);
  return std::move(decision.warnings);
}

}  // namespace sinter::cli
