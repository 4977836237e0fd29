#include "sinter/cli/prompt_conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "sinter/base/error.h"
#include "sinter/cli/embedding_options.h"
#include "sinter/cli/model_cache.h"
#include "sinter/cli/prompt_tags.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

/// Adds the embeddings of the folder that is given that a prompt uses.
void add_named_embeddings(const GenerateArguments& options, std::size_t index,
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
ConversionOptions conversion_for(const GenerateArguments& options, std::size_t index) {
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

}  // namespace

std::vector<fs::path> folders_for(const GenerateArguments& options) {
  std::vector<ConversionOptions> conversions;
  for (std::size_t i = 0; i < options.prompts.size(); ++i)
    conversions.push_back(conversion_for(options, i));  // what is wrong is told before any work
  std::vector<fs::path> folders;
  for (const ConversionOptions& conversion : conversions)
    folders.push_back(converted_folder(options.model, conversion));
  return folders;
}

}  // namespace sinter::cli
