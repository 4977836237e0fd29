#include "sinter/cli/control_options.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/base/png_file.h"
#include "sinter/cli/model_cache.h"
#include "sinter/cli/option_rules.h"
#include "sinter/cli/picture_names.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* kPreprocess = "none, canny or canny:LOW:HIGH, for example canny:100:200";

/// Takes ":NUMBER" off the front.
bool take_number(std::string_view& text, int& number) {
  if (!text.starts_with(':')) return false;
  const char* end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data() + 1, end, number);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(next - text.data()));
  return true;
}

std::optional<pipeline::CannyThresholds> parse_preprocess(const std::string& text) {
  if (text == "none") return std::nullopt;
  constexpr std::string_view kCanny = "canny";
  std::string_view rest = text;
  pipeline::CannyThresholds thresholds;
  if (rest.starts_with(kCanny)) {
    rest.remove_prefix(kCanny.size());
    if (rest.empty()) return thresholds;
    if (take_number(rest, thresholds.low) && take_number(rest, thresholds.high) && rest.empty())
      return thresholds;
  }
  throw Error(ErrorCode::kUsage,
              fmt::format("--control-preprocess is '{}', expected {}", text, kPreprocess),
              "other maps are given as pictures");
}

void require_pairs(const char* option, std::size_t values, std::size_t count) {
  if (values <= 1 || values == count) return;
  throw Error(ErrorCode::kUsage,
              fmt::format("{} values of {} for {} ControlNets", values, option, count),
              "give one for all, or one each in the order of the ControlNets");
}

template <typename T>
T value_of(const std::vector<T>& values, std::size_t index, T absent) {
  if (values.empty()) return absent;
  return values[values.size() == 1 ? 0 : index];
}

struct ListLength {
  const char* option;
  std::size_t values;
};

std::array<ListLength, 4> lengths(const ControlArguments& arguments) {
  return {{{"--control-scale", arguments.scales.size()},
           {"--control-start", arguments.starts.size()},
           {"--control-end", arguments.ends.size()},
           {"--control-preprocess", arguments.preprocess.size()}}};
}

/// A converted folder of a ControlNet: the given one, or the cache's.
fs::path controlnet_folder(const std::string& name, const ConversionOptions& conversion) {
  if (fs::exists(fs::path(name) / "controlnet" / "model.onnx")) return name;
  ConversionOptions options;
  options.precision = conversion.precision;
  options.components = {"controlnet"};
  return converted_folder(name, options);
}

}  // namespace

void declare_control(CLI::App& app, ControlArguments& arguments) {
  one_by_one(app.add_option("--controlnet", arguments.controlnets,
                            "draw with this ControlNet: its file, or a converted folder "
                            "(repeatable); default: those of a converted folder"));
  one_by_one(app.add_option("--control-image", arguments.images,
                            "a .png file that the ControlNet follows: one for all, or one each in "
                            "the order of --controlnet, as for all options below"));
  one_by_one(app.add_option("--control-preprocess", arguments.preprocess,
                            "what to make of the picture first: none, canny, canny:LOW:HIGH"))
      ->default_str("none");
  one_by_one(app.add_option("--control-scale", arguments.scales, "strength of the control"))
      ->default_str("1");
  one_by_one(
      app.add_option("--control-start", arguments.starts, "part of the steps at which it begins"))
      ->default_str("0");
  one_by_one(app.add_option("--control-end", arguments.ends, "part of the steps at which it ends"))
      ->default_str("1");
  app.add_option_function<std::string>(
      "--control-map", [&arguments](const std::string& name) { arguments.map = name; },
      "also write what the ControlNet is shown to this .png file");
}

void check_control_arguments(const ControlArguments& arguments) {
  if (!arguments.controlnets.empty() && arguments.images.empty())
    throw Error(ErrorCode::kUsage, "--controlnet without --control-image",
                "--control-image names the picture that the ControlNet follows");
  for (const std::string& text : arguments.preprocess) parse_preprocess(text);
  if (arguments.given()) return;
  for (const ListLength& list : lengths(arguments))
    if (list.values > 0)
      throw Error(ErrorCode::kUsage, fmt::format("{} without --control-image", list.option));
  if (arguments.map) throw Error(ErrorCode::kUsage, "--control-map without --control-image");
}

std::vector<pipeline::ControlNetPart> named_controlnets(const ControlArguments& arguments,
                                                        const ConversionOptions& conversion) {
  std::vector<pipeline::ControlNetPart> parts;
  for (const std::string& name : arguments.controlnets) {
    const fs::path folder = controlnet_folder(name, conversion);
    std::vector<pipeline::ControlNetPart> found = pipeline::read_controlnets(folder);
    if (found.empty())
      throw Error(ErrorCode::kUsage, fmt::format("{} has no controlnet/model.onnx", name),
                  "--controlnet takes a ControlNet's file, or a folder that it was converted into");
    fs::path stem = fs::path(name).has_filename() ? fs::path(name) : fs::path(name).parent_path();
    found.front().name = stem.stem().string();
    parts.push_back(std::move(found.front()));
  }
  return parts;
}

std::vector<pipeline::ControlOptions> read_controls(const ControlArguments& arguments,
                                                    std::size_t count) {
  if (!arguments.given()) return {};
  if (count == 0)
    throw Error(ErrorCode::kUsage, "--control-image without a ControlNet",
                "--controlnet names one; a converted folder may have its own");
  require_pairs("--control-image", arguments.images.size(), count);
  for (const ListLength& list : lengths(arguments)) require_pairs(list.option, list.values, count);
  std::vector<pipeline::ControlOptions> controls;
  for (std::size_t i = 0; i < count; ++i)
    controls.push_back(
        {.picture = read_png(value_of(arguments.images, i, std::string())),
         .canny = parse_preprocess(value_of(arguments.preprocess, i, std::string("none"))),
         .scale = value_of(arguments.scales, i, 1.0),
         .start = value_of(arguments.starts, i, 0.0),
         .end = value_of(arguments.ends, i, 1.0)});
  return controls;
}

fs::path map_path(const ControlArguments& arguments, std::size_t index, std::size_t count) {
  fs::path path = png_path(*arguments.map);
  if (count > 1)
    path.replace_filename(
        fmt::format("{}-{}{}", path.stem().string(), index + 1, path.extension().string()));
  return path;
}

}  // namespace sinter::cli
