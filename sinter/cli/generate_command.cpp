#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/base/png_file.h"
#include "sinter/cli/command.h"
#include "sinter/cli/engine_options.h"
#include "sinter/cli/failure.h"
#include "sinter/cli/json_output.h"
#include "sinter/cli/model_cache.h"
#include "sinter/cli/option_rules.h"
#include "sinter/cli/picture_names.h"
#include "sinter/cli/progress.h"
#include "sinter/cli/text.h"
#include "sinter/cli/version.h"
#include "sinter/pipeline/image.h"
#include "sinter/pipeline/parameters.h"
#include "sinter/pipeline/pipeline.h"
#include "sinter/pipeline/scheduler.h"

namespace sinter::cli {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
namespace {

struct Options {
  std::string model;
  std::vector<std::string> prompts;
  std::string negative_prompt;
  std::vector<std::uint64_t> seeds{0};  // one for all prompts, or one a prompt
  std::string output = "out/";
  std::string sheet;
  std::string rng = "torch";
  ConversionOptions conversion;
  EngineOptions engine;
  pipeline::GenerateOptions generate;
  bool profile = false;
  bool json = false;
};

/// A picture that has been written.
struct Written {
  fs::path path;
  std::string prompt;
  pipeline::Picture picture;
};

struct Drawing {
  std::vector<Written> pictures;
  std::vector<pipeline::StageRecord> stages;
};

pipeline::GenerateOptions for_prompt(const Options& options, std::size_t index) {
  pipeline::GenerateOptions generate = options.generate;
  generate.prompt = options.prompts[index];
  generate.negative_prompt = options.negative_prompt;
  generate.seed = options.seeds[options.seeds.size() == 1 ? 0 : index];
  generate.version = std::string("sinter ") + kVersion;
  return generate;
}

/// How many pictures there will be.
std::size_t picture_count(const Options& options) {
  return options.prompts.size() * static_cast<std::size_t>(options.generate.batch);
}

void prepare_places(const Options& options) {
  prepare_place(picture_path(options.output, 0, picture_count(options), options.seeds.front(),
                             options.prompts.front()));
  if (!options.sheet.empty()) prepare_place(png_path(options.sheet));
}

Drawing draw(const Options& options, pipeline::Pipeline& pipeline) {
  Drawing drawing;
  bool places_are_ready = false;
  const std::size_t count = picture_count(options);
  for (std::size_t i = 0; i < options.prompts.size(); ++i) {
    Progress bar(options.prompts.size() > 1 ? fmt::format("{}/{}", i + 1, options.prompts.size())
                                            : "drawing",
                 "it");
    pipeline::GenerateResult result =
        pipeline.generate(for_prompt(options, i), [&](const pipeline::Progress& progress) {
          // The first report comes when everything that was asked for is known to be possible.
          if (!std::exchange(places_are_ready, true)) prepare_places(options);
          if (progress.steps > 1) {
            bar.update(progress.stage, progress.step, progress.steps);
          } else if (progress.step == 0) {
            bar.stage(progress.stage);
          }
        });
    bar.finish();
    for (pipeline::Picture& picture : result.pictures) {
      const fs::path path = picture_path(options.output, drawing.pictures.size(), count,
                                         picture.seed, options.prompts[i]);
      write_png(path, picture.image,
                {{std::string(pipeline::kParametersKeyword), picture.parameters}});
      drawing.pictures.push_back({path, options.prompts[i], std::move(picture)});
    }
    drawing.stages.insert(drawing.stages.end(), result.stages.begin(), result.stages.end());
  }
  return drawing;
}

void write_sheet(const Options& options, const Drawing& drawing) {
  if (options.sheet.empty()) return;
  std::vector<Image> images;
  for (const Written& written : drawing.pictures) images.push_back(written.picture.image);
  // Nearly square, wider than high.
  int columns = 1;
  while (static_cast<std::size_t>(columns * columns) < images.size()) ++columns;
  write_png(png_path(options.sheet), pipeline::contact_sheet(images, columns));
}

void print_text(const Options& options, const Drawing& drawing) {
  for (const Written& written : drawing.pictures) fmt::print("{}\n", written.path.string());
  if (!options.sheet.empty()) fmt::print("{}\n", png_path(options.sheet).string());
  if (!options.profile) return;
  fmt::print("{:<24} {:>10} {:>10}\n", "stage", "time", "peak RSS");
  for (const pipeline::StageRecord& stage : drawing.stages)
    fmt::print("{:<24} {:>8.2f} s {:>10}\n", stage.name, stage.seconds,
               human_bytes(stage.peak_rss_bytes));
}

Json to_json(const Options& options, const Drawing& drawing) {
  Json json{{"pictures", Json::array()}, {"stages", Json::array()}};
  for (const Written& written : drawing.pictures) {
    json["pictures"].push_back({{"path", written.path.generic_string()},
                                {"prompt", written.prompt},
                                {"seed", written.picture.seed},
                                {"width", written.picture.image.width},
                                {"height", written.picture.image.height},
                                {"parameters", written.picture.parameters}});
  }
  for (const pipeline::StageRecord& stage : drawing.stages) {
    json["stages"].push_back({{"name", stage.name},
                              {"seconds", stage.seconds},
                              {"peak_rss_bytes", stage.peak_rss_bytes}});
  }
  if (!options.sheet.empty()) json["sheet"] = png_path(options.sheet).generic_string();
  return json;
}

/// What can be refused before a checkpoint is converted or an engine is loaded.
void check_options(const Options& options) {
  if (options.seeds.size() != 1 && options.seeds.size() != options.prompts.size()) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("{} seeds for {} prompts", options.seeds.size(), options.prompts.size()),
        "give one seed for all, or one a prompt");
  }
  require_known("generator", options.rng, {"torch"});
  if (!options.generate.sampler.empty()) {
    std::vector<std::string_view> names;
    for (const pipeline::Sampler& sampler : pipeline::samplers()) names.push_back(sampler.name);
    require_known("sampler", options.generate.sampler, names);
  }
  engine_named(options.engine.engine);
}

int run(const Options& options) {
  check_options(options);
  const fs::path folder = converted_folder(options.model, options.conversion);
  const bool several = options.prompts.size() > 1;
  pipeline::Pipeline pipeline = pipeline::Pipeline::open(
      folder, {.sessions = pipeline::engine_sessions(engine_named(options.engine.engine),
                                                     session_options(options.engine)),
               .keep_sessions = several});
  const Drawing drawing = draw(options, pipeline);
  write_sheet(options, drawing);
  if (options.json) {
    print_json(to_json(options, drawing));
  } else {
    print_text(options, drawing);
  }
  return kDone;
}

std::string sampler_names() {
  std::string names;
  for (const pipeline::Sampler& sampler : pipeline::samplers())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", sampler.name);
  return names;
}

}  // namespace

Run declare_generate(CLI::App& app) {
  auto options =
      std::make_shared<Options>();  // shared by the parser's bindings and the returned function
  pipeline::GenerateOptions& generate = options->generate;
  options->conversion.precision = "fp32";  // CPU engines compute in float32 whatever the graph says
  app.add_option("model", options->model,
                 "a converted folder, or a checkpoint (converted on the fly into a cache folder)")
      ->required();
  one_by_one(app.add_option("-p,--prompt", options->prompts, "what to draw (repeatable)"))
      ->required();
  app.add_option("-n,--negative-prompt", options->negative_prompt, "what not to draw");
  one_by_one(app.add_option("-s,--seed", options->seeds,
                            "of the noise: one for all prompts, or one a prompt"))
      ->check(at_least(0))  // a negative one would wrap around
      ->default_str("0");
  app.add_option("--sampler", generate.sampler, sampler_names() + "; default: the folder's");
  app.add_option("--steps", generate.steps, "of the sampler")
      ->capture_default_str()
      ->check(at_least(1));
  app.add_option("-g,--guidance", generate.guidance_scale, "guidance scale; up to 1 means none")
      ->capture_default_str();
  app.add_option("-W,--width", generate.width,
                 "pixels, a multiple of 8; default: the model's size");
  app.add_option("-H,--height", generate.height,
                 "pixels, a multiple of 8; default: the model's size");
  app.add_option("-b,--batch", generate.batch, "pictures a prompt, with seeds counted up")
      ->capture_default_str()
      ->check(at_least(1));
  app.add_option("--rng", options->rng, "torch: the noise of torch.randn on a CPU")
      ->capture_default_str();
  app.add_option("-o,--output", options->output, "a .png file, or a folder")->capture_default_str();
  app.add_option("--sheet", options->sheet, "also all pictures on one contact sheet");
  app.add_option("--precision", options->conversion.precision,
                 "of a checkpoint's conversion: fp32, fp16, bf16, keep")
      ->capture_default_str();
  app.add_option("--family", options->conversion.family, "of a checkpoint's conversion");
  app.add_option("--prediction", options->conversion.prediction,
                 "of a checkpoint's conversion: epsilon, v");
  declare_engine(app, options->engine);
  app.add_flag("--profile", options->profile, "print time and peak memory of every stage");
  app.add_flag("--json", options->json, "print the result as JSON");
  return [options] { return run(*options); };
}

}  // namespace sinter::cli
