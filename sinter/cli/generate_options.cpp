#include "sinter/cli/generate_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>

#include "sinter/base/error.h"
#include "sinter/cli/conversion_parts.h"
#include "sinter/cli/failure.h"
#include "sinter/cli/model_cache.h"
#include "sinter/cli/option_rules.h"
#include "sinter/cli/picture_places.h"
#include "sinter/cli/version.h"
#include "sinter/pipeline/scheduler.h"

namespace sinter::cli {
namespace {

/// What can be refused before a checkpoint is converted or an engine is loaded.
void check_options(const GenerateArguments& options) {
  if (options.seeds.size() != 1 && options.seeds.size() != options.prompts.size()) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("{} seeds for {} prompts", options.seeds.size(), options.prompts.size()),
        "give one seed for all, or one a prompt");
  }
  require_known("generator", options.rng, {"torch"});
  if (!options.generate.sampler.empty())
    require_row("sampler", options.generate.sampler, pipeline::samplers());
  engine_named(options.engine.engine);
  check_control_arguments(options.control);
  check_places(options);
}

/// A folder's graphs are as they are: an option for making others would be passed over in silence.
void check_conversion_options(const GenerateArguments& options) {
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

std::string sampler_names() {
  std::string names;
  for (const pipeline::Sampler& sampler : pipeline::samplers())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", sampler.name);
  return names;
}

}  // namespace

pipeline::GenerateOptions for_prompt(const GenerateArguments& options, std::size_t index) {
  pipeline::GenerateOptions generate = options.generate;
  generate.prompt = options.tagged[index].text;
  if (!options.tagged[index].tags.empty()) generate.written_prompt = options.prompts[index];
  generate.negative_prompt = options.negative_prompt;
  generate.seed = options.seeds[options.seeds.size() == 1 ? 0 : index];
  generate.version = std::string("sinter ") + kVersion;
  return generate;
}

void check_generate_options(GenerateArguments& options) {
  options.tagged.clear();
  for (const std::string& prompt : options.prompts) options.tagged.push_back(read_tags(prompt));
  check_options(options);
  check_conversion_options(options);
}

std::shared_ptr<GenerateArguments> declare_generate_options(CLI::App& app) {
  auto options = std::make_shared<GenerateArguments>();  // shared by the parser's bindings and the
                                                         // returned function
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
  return options;
}

}  // namespace sinter::cli
