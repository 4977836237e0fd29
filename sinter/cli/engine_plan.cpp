#include "sinter/cli/engine_plan.h"

#include <fmt/format.h>

#include <charconv>

#include "sinter/base/error.h"
#include "sinter/cli/model_argument.h"
#include "sinter/graph/extents.h"
#include "sinter/graph/onnx_model.h"

namespace sinter::cli {
namespace {

std::int64_t whole(std::string_view words, std::string_view option) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), number);
  if (error == std::errc() && end == words.data() + words.size() && number > 0 && number < 65536)
    return number;
  throw Error(ErrorCode::kUsage, fmt::format("{} has '{}', expected a number", option, words));
}

struct Size {
  std::int64_t width;
  std::int64_t height;
};

Size size_of(std::string_view words) {
  const std::size_t cross = words.find('x');
  if (cross == std::string_view::npos)
    throw Error(ErrorCode::kUsage, fmt::format("--size has '{}', expected WIDTHxHEIGHT", words));
  const Size size{whole(words.substr(0, cross), "--size"), whole(words.substr(cross + 1), "--size")};
  if (size.width % 8 != 0 || size.height % 8 != 0)
    throw Error(ErrorCode::kUsage,
                fmt::format("--size has '{}', expected multiples of 8", words));
  return size;
}

/// The parts on both sides of the colon; twice the same without one.
std::pair<std::string_view, std::string_view> two_of(std::string_view words) {
  const std::size_t colon = words.find(':');
  if (colon == std::string_view::npos) return {words, words};
  return {words.substr(0, colon), words.substr(colon + 1)};
}

std::int64_t multiple_of_8(double pixels) { return static_cast<std::int64_t>(pixels / 8) * 8; }

/// Half of the smallest to a quarter more than the largest, tuned for the first.
plan::Range pixels(std::int64_t main, std::int64_t other) {
  return {.min = std::max<std::int64_t>(64, multiple_of_8(static_cast<double>(std::min(main, other)) / 2)),
          .opt = main,
          .max = multiple_of_8(static_cast<double>(std::max(main, other)) * 1.25)};
}

plan::Sizes sizes_of(const EnginePlanOptions& options) {
  plan::Sizes sizes;
  if (!options.size.empty()) {
    const auto [main, other] = two_of(options.size);
    const Size first = size_of(main);
    const Size second = size_of(other);
    sizes.width = pixels(first.width, second.width);
    sizes.height = pixels(first.height, second.height);
  }
  if (!options.batch.empty()) {
    const auto [main, other] = two_of(options.batch);
    sizes.batch = {.min = 1, .opt = whole(main, "--batch"), .max = whole(other, "--batch")};
    if (sizes.batch.opt > sizes.batch.max)
      throw Error(ErrorCode::kUsage, fmt::format("--batch has '{}', expected the usual number and "
                                                 "then the greatest",
                                                 options.batch));
  }
  return sizes;
}

/// The symbols of a graph's inputs at one end of the sizes.
graph::Symbols symbols_at(const plan::Sizes& sizes, bool unet, bool pixels,
                          std::int64_t plan::Range::*end) {
  const std::int64_t rows = sizes.batch.*end * (unet && sizes.guidance ? 2 : 1);
  const std::int64_t cell = pixels ? 1 : 8;
  return {{"batch", rows},
          {"timesteps", rows},
          {"sequence", sizes.tokens.*end},
          {"height", sizes.height.*end / cell},
          {"width", sizes.width.*end / cell}};
}

}  // namespace

void declare_engine_plan(CLI::App& app, EnginePlanOptions& options) {
  auto* file = app.add_option("--plan", options.plan, "what the engines serve: a file of sinter plan");
  app.add_option("--size", options.size, "WIDTHxHEIGHT, and after a colon a second one")
      ->excludes(file);
  app.add_option("--batch", options.batch, "pictures at a time, and after a colon the most")
      ->excludes(file);
}

plan::Plan engine_plan(const std::filesystem::path& folder, const EnginePlanOptions& options) {
  if (!options.plan.empty()) return plan::read_plan(options.plan);
  plan::Plan made;
  made.sizes = sizes_of(options);
  for (const std::filesystem::path& path : models_at(folder.string())) {
    const graph::OnnxModel model = graph::OnnxModel::load(path);
    plan::GraphPlan graph;
    graph.folder = path.parent_path().filename().string();
    const bool unet = graph.folder.starts_with("unet") || graph.folder.starts_with("controlnet");
    const bool in_pixels = graph.folder == "vae_encoder";
    for (const graph::ValueDeclaration& input : model.inputs()) {
      if (!plan::is_dynamic(input)) continue;
      const auto at = [&](std::int64_t plan::Range::*end) {
        const auto shape =
            graph::evaluate_shape(input, symbols_at(made.sizes, unet, in_pixels, end));
        if (shape) return *shape;
        throw Error(ErrorCode::kUnsupported,
                    fmt::format("input '{}' of {} has an extent whose meaning is not known",
                                input.name, path.string()));
      };
      graph.profile.inputs.push_back({input.name, at(&plan::Range::min), at(&plan::Range::opt),
                                      at(&plan::Range::max)});
    }
    made.graphs.push_back(std::move(graph));
  }
  return made;
}

}  // namespace sinter::cli
