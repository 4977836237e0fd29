#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace sinter::weights {

/// The weight files of one component of a folder.
struct FolderPart {
  std::string prefix;                           // "unet/"; empty where the folder is the component
  std::vector<std::filesystem::path> files;     // one, or all shards in order
  std::map<std::string, std::string> shard_of;  // tensor -> file name, from the index; else empty
};

/// What a diffusers folder consists of.
struct FolderPlan {
  std::vector<FolderPart> parts;               // by component name; empty: no weights there
  std::map<std::string, std::string> configs;  // "unet/config.json" -> its text
};

/// Finds the weights and configuration of a diffusers pipeline (a folder with model_index.json,
/// whose sub-folders are the components) or of a single component.
///
/// Of several precisions of one component the plain file is taken, else the fp16 variant. The
/// safety checker is left out: no picture depends on it.
/// @throws Error{kBadFile} when a shard or a component is missing or it cannot be told which file
/// is
///         meant; Error{kUnsupported} when a component has weights in other formats only;
///         Error{kUsage} for a folder that sinter converted; Error{kIo}.
FolderPlan plan_folder(const std::filesystem::path& folder);

}  // namespace sinter::weights
