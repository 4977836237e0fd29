#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/adapters/adaptation.h"

namespace sinter::cli {

/// An adapter that a prompt asks for.
struct PromptTag {
  std::string name;
  adapters::Strength strength;
};

/// A prompt and what it asks for besides.
struct TaggedPrompt {
  std::string text;  // without the tags
  std::vector<PromptTag> tags;
};

/// Takes "<lora:NAME>", "<lora:NAME:WEIGHT>", "<lora:NAME:TE_WEIGHT:UNET_WEIGHT>" out of a prompt,
/// also with "te=" and "unet=" and under the older word "lyco". What else is in angle brackets
/// stays. Source: the behaviour of AUTOMATIC1111's web UI.
/// @throws Error{kUsage} for a weight that is no finite number; Error{kUnsupported} for a
///         hypernetwork.
TaggedPrompt read_tags(std::string_view prompt);

/// The files of a folder and of those below it that prompts can name, by their names without
/// endings.
class AdapterFolder {
 public:
  /// @throws Error{kIo} when there is no such folder.
  explicit AdapterFolder(std::filesystem::path folder);

  /// @throws Error{kUsage} for a name that no file has, with the nearest.
  std::filesystem::path find(const std::string& name) const;

 private:
  std::filesystem::path folder_;
  std::vector<std::filesystem::path> files_;  // sorted
};

}  // namespace sinter::cli
