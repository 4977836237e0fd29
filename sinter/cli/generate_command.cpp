#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/base/png_file.h"
#include "sinter/base/process.h"
#include "sinter/cli/command.h"
#include "sinter/cli/control_options.h"
#include "sinter/cli/conversion_parts.h"
#include "sinter/cli/embedding_options.h"
#include "sinter/cli/engine_options.h"
#include "sinter/cli/failure.h"
#include "sinter/cli/generate_report.h"
#include "sinter/cli/json_output.h"
#include "sinter/cli/memory_forecast.h"
#include "sinter/cli/model_cache.h"
#include "sinter/cli/option_rules.h"
#include "sinter/cli/picture_names.h"
#include "sinter/cli/progress.h"
#include "sinter/cli/prompt_tags.h"
#include "sinter/cli/text.h"
#include "sinter/cli/version.h"
#include "sinter/pipeline/image.h"
#include "sinter/pipeline/parameters.h"
#include "sinter/pipeline/pipeline.h"
#include "sinter/pipeline/scheduler.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

struct Options {
  std::string model;
  std::vector<std::string> prompts;
  std::vector<TaggedPrompt> tagged;  // the same, read
  std::optional<std::string> lora_dir;
  std::optional<std::string> negative_prompt;  // "" is one too
  std::vector<std::uint64_t> seeds{0};         // one for all prompts, or one a prompt
  std::string output = "out/";
  std::optional<std::string> sheet;
  std::string rng = "torch";
  ConversionOptions conversion;
  std::string embedding_dir;
  ControlArguments control;
  EngineOptions engine;
  pipeline::GenerateOptions generate;
  std::vector<const CLI::Option*> of_conversion;  // what a converted folder cannot be told
  bool profile = false;
  bool json = false;
};

pipeline::GenerateOptions for_prompt(const Options& options, std::size_t index) {
  pipeline::GenerateOptions generate = options.generate;
  generate.prompt = options.tagged[index].text;
  if (!options.tagged[index].tags.empty()) generate.written_prompt = options.prompts[index];
  generate.negative_prompt = options.negative_prompt;
  generate.seed = options.seeds[options.seeds.size() == 1 ? 0 : index];
  generate.version = std::string("sinter ") + kVersion;
  return generate;
}

/// How many pictures there will be.
std::size_t picture_count(const Options& options) {
  return options.prompts.size() * static_cast<std::size_t>(options.generate.batch);
}

/// Every file that will be written, pictures first.
std::vector<fs::path> places(const Options& options) {
  std::vector<fs::path> paths;
  for (std::size_t i = 0; i < picture_count(options); ++i) {
    const auto batch = static_cast<std::size_t>(options.generate.batch);
    const pipeline::GenerateOptions generate = for_prompt(options, i / batch);
    paths.push_back(picture_path(options.output, i, picture_count(options),
                                 generate.seed + i % batch, generate.prompt));
  }
  if (options.sheet) paths.push_back(png_path(*options.sheet));
  return paths;
}

void prepare_places(const Options& options) {
  const std::vector<fs::path> paths = places(options);
  prepare_place(paths.front());
  if (options.sheet) prepare_place(paths.back());
  if (options.control.map) prepare_place(map_path(options.control, 0, 1));
}

/// What can be seen to go wrong with the files before anything is touched.
void check_places(const Options& options) {
  const auto require_name = [](const char* option, const std::string& name, const char* expected) {
    if (!name.empty()) return;
    throw Error(ErrorCode::kUsage, fmt::format("{} is empty, expected {}", option, expected));
  };
  require_name("--output", options.output, "a .png file or a folder");
  if (options.sheet) require_name("--sheet", *options.sheet, "a .png file");
  std::vector<fs::path> paths = places(options);
  for (const fs::path& path : paths) require_place(path);
  if (options.control.map) require_place(map_path(options.control, 0, 1));
  if (!options.sheet) return;
  const fs::path sheet = paths.back();
  paths.pop_back();
  for (const fs::path& path : paths) {
    if (!same_file(path, sheet)) continue;
    throw Error(ErrorCode::kUsage,
                fmt::format("--output and --sheet would both be written to {}", sheet.string()));
  }
}

/// What the ControlNets were shown: the same for all prompts.
void write_maps(const Options& options, const std::vector<Image>& maps, Drawing& drawing) {
  if (!options.control.map) return;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    drawing.control_maps.push_back(map_path(options.control, i, maps.size()));
    write_png(drawing.control_maps.back(), maps[i]);
  }
}

/// Adds the embeddings of the folder that is given that a prompt uses.
void add_named_embeddings(const Options& options, std::size_t index,
                          ConversionOptions& conversion) {
  if (options.embedding_dir.empty()) return;
  const std::vector<std::string> texts{options.prompts[index],
                                       options.negative_prompt.value_or("")};
  const std::vector<std::string> used = embeddings_in(options.embedding_dir, texts);
  if (!used.empty() && is_converted(options.model))
    throw Error(ErrorCode::kUsage,
                fmt::format("--embedding-dir is for a checkpoint's conversion, and {} is converted "
                            "already",
                            options.model),
                fmt::format("sinter convert CHECKPOINT OUT --embedding '{}' makes such a folder",
                            used.front()));
  std::ranges::copy(used, std::back_inserter(conversion.embeddings));
}

/// The conversion that a prompt is drawn with: the command's own adapters and embeddings, then
/// those that it names.
ConversionOptions conversion_for(const Options& options, std::size_t index) {
  ConversionOptions conversion = options.conversion;
  conversion.controlnet_inputs = options.control.given();
  add_named_embeddings(options, index, conversion);
  const std::vector<PromptTag>& tags = options.tagged[index].tags;
  if (tags.empty()) return conversion;
  if (is_converted(options.model))
    throw Error(ErrorCode::kUsage,
                fmt::format("the prompt asks for the adapter '{}', and {} is converted already",
                            tags.front().name, options.model),
                "sinter convert CHECKPOINT OUT --lora FILE:WEIGHT makes a folder with it");
  if (!options.lora_dir)
    throw Error(ErrorCode::kUsage,
                fmt::format("the prompt asks for the adapter '{}', and no folder is given to look "
                            "for it",
                            tags.front().name),
                "--lora-dir DIR names one");
  const AdapterFolder folder(*options.lora_dir);
  for (const PromptTag& tag : tags)
    conversion.more_loras.push_back({.path = folder.find(tag.name), .strength = tag.strength});
  return conversion;
}

/// The folders to draw from, one for each prompt.
std::vector<fs::path> folders_for(const Options& options) {
  std::vector<ConversionOptions> conversions;
  for (std::size_t i = 0; i < options.prompts.size(); ++i)
    conversions.push_back(conversion_for(options, i));  // what is wrong is told before any work
  std::vector<fs::path> folders;
  for (const ConversionOptions& conversion : conversions)
    folders.push_back(converted_folder(options.model, conversion));
  return folders;
}

/// Opens the folder of each prompt, and keeps it open while prompts share it.
class Drawer {
 public:
  explicit Drawer(const Options& options)
      : options_(options),
        folders_(folders_for(options)),
        controlnets_(named_controlnets(options.control, options.conversion)) {}

  pipeline::Pipeline& pipeline_for(std::size_t prompt) {
    if (pipeline_ && folders_[prompt] == open_) return *pipeline_;
    pipeline_.reset();  // two models at once may be too much memory
    open_ = folders_[prompt];
    const runtime::Engine engine = engine_named(options_.engine.engine);
    const bool several = options_.prompts.size() > 1;
    pipeline::PipelineFolder folder = pipeline::read_pipeline_folder(open_);
    if (!controlnets_.empty()) folder.controlnets = controlnets_;
    controls_ = read_controls(options_.control, folder.controlnets.size());
    pipeline_.emplace(std::move(folder),
                      pipeline::PipelineOptions{.sessions = pipeline::engine_sessions(
                                                    engine, session_options(options_.engine)),
                                                .keep_sessions = several});
    if (const auto warning =
            memory_warning(weight_memory(pipeline_->folder(), engine, !controls_.empty()), engine,
                           several, available_memory_bytes()))
      print_words(stderr, "warning: {}\n", *warning);
    return *pipeline_;
  }

  /// What the ControlNets of the pipeline that is open are told.
  const std::vector<pipeline::ControlOptions>& controls() const { return controls_; }

 private:
  const Options& options_;
  std::vector<fs::path> folders_;
  std::vector<pipeline::ControlNetPart> controlnets_;  // in place of the folder's own
  std::vector<pipeline::ControlOptions> controls_;
  fs::path open_;
  std::optional<pipeline::Pipeline> pipeline_;
};

Drawing draw(const Options& options, Drawer& drawer) {
  Drawing drawing;
  bool places_are_ready = false;
  const std::size_t count = picture_count(options);
  for (std::size_t i = 0; i < options.prompts.size(); ++i) {
    pipeline::Pipeline& pipeline = drawer.pipeline_for(i);
    Progress bar(options.prompts.size() > 1 ? fmt::format("{}/{}", i + 1, options.prompts.size())
                                            : "drawing",
                 "it");
    pipeline::GenerateOptions generate = for_prompt(options, i);
    generate.controls = drawer.controls();
    pipeline::GenerateResult result =
        pipeline.generate(generate, [&](const pipeline::Progress& progress) {
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
                                         picture.seed, options.tagged[i].text);
      write_png(path, picture.image,
                {{std::string(pipeline::kParametersKeyword), picture.parameters}});
      drawing.pictures.push_back({path, options.prompts[i], std::move(picture)});
    }
    if (i == 0) write_maps(options, result.control_maps, drawing);
    drawing.stages.insert(drawing.stages.end(), result.stages.begin(), result.stages.end());
  }
  return drawing;
}

void write_sheet(const Options& options, Drawing& drawing) {
  if (!options.sheet) return;
  std::vector<Image> images;
  for (const Written& written : drawing.pictures) images.push_back(written.picture.image);
  // Nearly square, wider than high.
  int columns = 1;
  while (static_cast<std::size_t>(columns * columns) < images.size()) ++columns;
  drawing.sheet = png_path(*options.sheet);
  write_png(*drawing.sheet, pipeline::contact_sheet(images, columns));
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
  check_control_arguments(options.control);
  check_places(options);
}

/// A folder's graphs are as they are: an option for making others would be passed over in silence.
void check_conversion_options(const Options& options) {
  if (!is_converted(options.model)) return;
  for (const CLI::Option* option : options.of_conversion) {
    if (option->count() == 0) continue;
    throw Error(
        ErrorCode::kUsage,
        fmt::format("{} is for a checkpoint's conversion, and {} is converted already",
                    option->get_name(), options.model),
        fmt::format("sinter convert CHECKPOINT OUT {}{} makes such a folder", option->get_name(),
                    option->get_type_size() == 0 ? "" : " " + option->results().back()));
  }
}

int run(Options& options) {
  options.tagged.clear();
  for (const std::string& prompt : options.prompts) options.tagged.push_back(read_tags(prompt));
  check_options(options);
  check_conversion_options(options);
  Drawer drawer(options);
  Drawing drawing = draw(options, drawer);
  write_sheet(options, drawing);
  if (options.json) {
    print_json(to_json(drawing));
  } else {
    print_text(drawing, options.profile);
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
  // Merged weights in float32 would take twice the cache, and no picture shows the difference.
  options->conversion.compact_merge = true;
  options->conversion.precision = "fp32";  // CPU engines compute in float32 whatever the graph says
  app.add_option("model", options->model,
                 "a converted folder, or a checkpoint (converted on the fly into a cache folder)")
      ->required();
  one_by_one(app.add_option("-p,--prompt", options->prompts, "what to draw (repeatable)"))
      ->required();
  // By functions: the parser takes an empty word for an absent optional.
  app.add_option_function<std::string>(
      "-n,--negative-prompt",
      [options](const std::string& text) { options->negative_prompt = text; },
      "what not to draw; \"\" is a negative prompt too");
  one_by_one(app.add_option("-s,--seed", options->seeds,
                            "of the noise: one for all prompts, or one a prompt"))
      ->transform(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->default_str("0");
  app.add_option("--sampler", generate.sampler, sampler_names() + "; default: the folder's");
  app.add_option("--steps", generate.steps, "of the sampler")
      ->capture_default_str()
      ->transform(whole_number(1, pipeline::kMostSteps));
  app.add_option("-g,--guidance", generate.guidance_scale, "guidance scale; up to 1 means none")
      ->capture_default_str();
  app.add_option("-W,--width", generate.width, "pixels, a multiple of 8; default: the model's size")
      ->transform(whole_number(1, pipeline::kLargestSide));
  app.add_option("-H,--height", generate.height,
                 "pixels, a multiple of 8; default: the model's size")
      ->transform(whole_number(1, pipeline::kLargestSide));
  app.add_option("-b,--batch", generate.batch, "pictures a prompt, with seeds counted up")
      ->capture_default_str()
      ->transform(whole_number(1, pipeline::kLargestBatch));
  app.add_option("--rng", options->rng, "torch: the noise of torch.randn on a CPU")
      ->capture_default_str();
  app.add_option("-o,--output", options->output, "a .png file, or a folder")->capture_default_str();
  app.add_option_function<std::string>(
      "--sheet", [options](const std::string& name) { options->sheet = name; },
      "also all pictures on one contact sheet");
  options->of_conversion = {
      app.add_option("--precision", options->conversion.precision,
                     "of a checkpoint's conversion: fp32, fp16, bf16, keep, auto")
          ->capture_default_str(),
      app.add_option("--family", options->conversion.family, "of a checkpoint's conversion"),
      app.add_option("--prediction", options->conversion.prediction,
                     "of a checkpoint's conversion: epsilon, v"),
      one_by_one(app.add_option("--lora", options->conversion.loras,
                                "merge this adapter into a checkpoint: FILE, FILE:WEIGHT or "
                                "FILE:WEIGHT:TE_WEIGHT (repeatable)"))};
  app.add_option_function<std::string>(
      "--lora-dir", [options](const std::string& folder) { options->lora_dir = folder; },
      "where the adapters are that prompts name: <lora:NAME:WEIGHT>");
  for (const CLI::Option* option : declare_parts(app, options->conversion))
    options->of_conversion.push_back(option);
  app.add_option("--embedding-dir", options->embedding_dir,
                 "take the embeddings in this folder that prompts use by their files' names");
  std::ranges::copy(declare_opening(app, options->conversion),
                    std::back_inserter(options->of_conversion));
  declare_control(app, options->control);
  declare_engine(app, options->engine);
  app.add_flag("--profile", options->profile, "print time and peak memory of every stage");
  app.add_flag("--json", options->json, "print the result as JSON");
  return [options] { return run(*options); };
}

}  // namespace sinter::cli
