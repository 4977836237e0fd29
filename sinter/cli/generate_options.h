#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sinter/cli/control_options.h"
#include "sinter/cli/conversion.h"
#include "sinter/cli/engine_options.h"
#include "sinter/cli/prompt_tags.h"
#include "sinter/pipeline/pipeline.h"

namespace sinter::cli {

/// What `generate` is told.
struct GenerateArguments {
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

/// Declares the options. The result is shared with the parser's bindings.
std::shared_ptr<GenerateArguments> declare_generate_options(CLI::App& app);

/// Reads the adapters in the prompts, and refuses what can be seen to go wrong before a checkpoint
/// is converted or an engine is loaded.
/// @throws Error{kUsage}.
void check_generate_options(GenerateArguments& options);

/// What a prompt is drawn with.
pipeline::GenerateOptions for_prompt(const GenerateArguments& options, std::size_t index);

}  // namespace sinter::cli
