#include "sinter/cli/conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>

#include "sinter/arch/families.h"
#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/cli/adapter_options.h"
#include "sinter/cli/conversion_parts.h"
#include "sinter/cli/failure.h"
#include "sinter/cli/option_rules.h"
#include "sinter/cli/precision_options.h"
#include "sinter/cli/version.h"
#include "sinter/convert/io_profile.h"
#include "sinter/pipeline/embedding_names.h"
#include "sinter/pipeline/scheduler.h"
#include "sinter/pipeline/scheduler_config.h"
#include "sinter/pipeline/vocabulary.h"
#include "sinter/weights/folder.h"

namespace sinter::cli {
namespace {

/// "1x512x768" to numbers.
convert::StaticSize parse_size(const std::string& text) {
  std::vector<std::int64_t> numbers;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    std::int64_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc{}) break;
    numbers.push_back(number);
    at = next;
    if (at < end && *at == 'x') ++at;
  }
  if (numbers.size() != 3 || at != end) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format(
            "--static is '{}', expected BATCHxHEIGHTxWIDTH in pixels, for example 1x512x512",
            text));
  }
  return {.batch = numbers[0], .height = numbers[1], .width = numbers[2]};
}

/// The vocabulary of a folder's tokenizer, or the one that all families share.
pipeline::Vocabulary vocabulary_for(const std::filesystem::path& folder,
                                    const arch::TextEncoderConfig& text) {
  if (pipeline::has_vocabulary(folder)) return pipeline::read_vocabulary(folder);
  pipeline::Vocabulary vocabulary = pipeline::clip_vocabulary();
  // CLIP's own tower was trained with the end token as padding, the OpenCLIP ones (exact GELU) with
  // 0, which is "!".
  if (text.activation == arch::Activation::kGelu) vocabulary.padding = "!";
  return vocabulary;
}

/// "unet, vae_decoder" has a space that means nothing.
std::string trimmed(const std::string& word) {
  const std::size_t begin = std::min(word.find_first_not_of(' '), word.size());
  return word.substr(begin, word.find_last_not_of(' ') + 1 - begin);
}

/// Words that have to be in a table of the libraries, checked here so that the nearest is
/// suggested.
void require_names(const ConversionOptions& options) {
  for (const std::string& component : options.components)
    require_known("component", trimmed(component),
                  {"text_encoder", "text_encoder_2", "unet", "vae", "vae_decoder", "vae_encoder",
                   "controlnet", "controlnet_1", "controlnet_2", "controlnet_3"});
  std::vector<std::string_view> precisions;
  for (const auto precision :
       {convert::Precision::kF16, convert::Precision::kF32, convert::Precision::kBF16,
        convert::Precision::kKeep, convert::Precision::kAuto})
    precisions.push_back(convert::precision_name(precision));
  require_known("precision", options.precision, precisions);
  require_known("precision", vae_precision_of(options), precisions);
  require_known("way to store weights", options.weights, {"link", "pack"});
  require_row("I/O profile", options.io, convert::io_profiles());
  if (!options.family.empty()) require_row("family", options.family, arch::families());
}

}  // namespace

std::vector<adapters::AdapterUse> adapters_of(const ConversionOptions& options) {
  std::vector<adapters::AdapterUse> uses;
  std::ranges::transform(options.loras, std::back_inserter(uses), parse_adapter);
  std::ranges::copy(options.more_loras, std::back_inserter(uses));
  return uses;
}

std::shared_ptr<adapters::Adaptation> add_adapters(const ConversionOptions& options,
                                                   convert::ConvertOptions& request) {
  return add_adapters(adapters_of(options), !options.compact_merge, request);
}

// tokenizer/ for the first text encoder, tokenizer_2/ for the second.
std::vector<convert::ExtraFile> tokenizer_files(
    const std::filesystem::path& source, const arch::Model& model,
    const std::vector<adapters::PlacedEmbedding>& placed) {
  std::vector<convert::ExtraFile> files;
  const std::filesystem::path root = weights::pipeline_root(source);
  for (const arch::Component& component : model.components) {
    const auto* text = std::get_if<arch::TextEncoderConfig>(&component.config);
    if (text == nullptr) continue;
    const std::string folder = component.name == "text_encoder_2" ? "tokenizer_2" : "tokenizer";
    pipeline::Vocabulary vocabulary = vocabulary_for(root / folder, *text);
    // A folder may say that its vocabulary is its own; then it has to bring one that fits.
    if (vocabulary.tokens.size() > static_cast<std::size_t>(text->vocabulary)) {
      throw Error(ErrorCode::kShapeMismatch,
                  fmt::format("the token table of {} has {} rows, its tokenizer {} ids",
                              component.name, text->vocabulary, vocabulary.tokens.size()),
                  fmt::format("the folder's {}/vocab.json belongs to another text encoder, or is "
                              "not there",
                              folder));
    }
    for (const adapters::PlacedEmbedding& embedding : placed)
      if (embedding.component == component.name)
        add_embedding(vocabulary, embedding.name, embedding.first_row, embedding.vectors);
    for (pipeline::VocabularyFile& file : vocabulary_files(vocabulary)) {
      files.push_back({folder + "/" + file.name, std::move(file.text)});
    }
  }
  return files;
}

std::vector<std::string> scheduler_warnings(const std::filesystem::path& out) {
  const std::filesystem::path path = out / "scheduler" / "scheduler_config.json";
  if (!std::filesystem::exists(path)) return {};
  try {
    const pipeline::SchedulerConfig config = pipeline::read_scheduler_config(read_text(path));
    const pipeline::Sampler& sampler = pipeline::sampler_of(config);
    if (sampler.class_name == config.class_name) {
      pipeline::require_own_settings(config);
      return {};
    }
    return {fmt::format(
        "the folder's scheduler is {}, which sinter does not have: generate takes {} unless "
        "--sampler says otherwise",
        config.class_name, sampler.name)};
  } catch (const Error& error) {
    return {fmt::format("generate will refuse this folder: {}{}", error.message(),
                        error.hint().empty() ? "" : fmt::format(" ({})", error.hint()))};
  }
}

void declare_conversion(CLI::App& app, ConversionOptions& options) {
  one_by_one(app.add_option("--components", options.components,
                            "only these, separated by commas: text_encoder, text_encoder_2, unet, "
                            "vae_decoder, vae_encoder, controlnet"))
      ->delimiter(',');
  app.add_option(
         "--precision", options.precision,
         "what text encoders and UNet compute in: fp16, fp32, bf16, keep, or auto: fp16 but "
         "for the modules that a run of the model shows to need fp32")
      ->capture_default_str();
  app.add_option("--vae-precision", options.vae_precision,
                 "what the VAE computes in; default: fp32, with --precision auto also auto");
  declare_calibration(app, options.calibration);
  app.add_option(
         "--weights", options.weights,
         "link: use the checkpoint's bytes where they are; pack: copy them beside the graphs")
      ->capture_default_str();
  app.add_option("--io", options.io,
                 "names of inputs and outputs: optimum, ldm, demodiffusion, comfy, a1111")
      ->capture_default_str();
  app.add_option("--static", options.size,
                 "fixed sizes instead of dynamic ones: BATCHxHEIGHTxWIDTH in pixels");
  app.add_option("--family", options.family,
                 "take the checkpoint as this family instead of detecting it");
  app.add_option("--prediction", options.prediction,
                 "what the UNet predicts where the file cannot tell: epsilon, v");
  one_by_one(app.add_option("--lora", options.loras,
                            "merge this adapter: FILE, FILE:WEIGHT or FILE:WEIGHT:TE_WEIGHT "
                            "(repeatable)"));
  one_by_one(app.add_option("--controlnet", options.controlnets,
                            "also this ControlNet, and the UNet's inputs for it (repeatable)"));
  app.add_flag("--controlnet-inputs", options.controlnet_inputs,
               "give the UNet the inputs for ControlNet residuals");
  app.add_flag("--hidden-states", options.hidden_states,
               "give text encoders every hidden state as output");
  declare_parts(app, options);
  declare_opening(app, options);
}

std::vector<CLI::Option*> declare_opening(CLI::App& app, ConversionOptions& options) {
  return {app.add_flag("--ema", options.ema,
                       "take the moving averages of the weights (model_ema.*) in their place"),
          app.add_flag("--allow-unsafe-keys", options.allow_unsafe_keys,
                       "take the tensors of a PyTorch file that would run code when Python loads "
                       "it; nothing of it is executed"),
          app.add_option("--variant", options.variant,
                         "of a folder with several files a component: fp16, non_ema, ...")};
}

weights::OpenOptions open_options(const ConversionOptions& options) {
  return {.allow_unsafe_keys = options.allow_unsafe_keys,
          .ema = options.ema,
          .variant = options.variant};
}

convert::ConvertOptions to_request(const ConversionOptions& options,
                                   const std::string& checkpoint) {
  convert::ConvertOptions request;
  require_names(options);
  std::ranges::transform(options.components, std::back_inserter(request.components), trimmed);
  request.precision = convert::precision_from_name(options.precision);
  request.vae_precision = convert::precision_from_name(vae_precision_of(options));
  request.weights =
      options.weights == "link" ? convert::WeightStorage::kLink : convert::WeightStorage::kPack;
  request.io = options.io;
  if (!options.size.empty()) request.size = parse_size(options.size);
  if (!options.family.empty()) request.detect.family = options.family;
  if (!options.prediction.empty()) {
    request.detect.prediction = arch::prediction_from_name(options.prediction);
    if (!request.detect.prediction)
      throw unknown_name("prediction", options.prediction, {"epsilon", "v"});
  }
  request.controlnets.assign(options.controlnets.begin(), options.controlnets.end());
  request.controlnet_inputs = options.controlnet_inputs;
  request.hidden_states = options.hidden_states;
  request.open = open_options(options);
  request.tool_version = kVersion;
  const auto embeddings = add_parts(options, checkpoint, request);
  request.extra_files = [checkpoint, embeddings](const arch::Model& model) {
    return tokenizer_files(checkpoint, model, embeddings->placed);
  };
  return request;
}

}  // namespace sinter::cli
