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
  std::filesystem::path root;                  // where they lie: the folder, or its snapshot
  std::vector<FolderPart> parts;               // by component name; empty: no weights there
  std::map<std::string, std::string> configs;  // "unet/config.json" -> its text
};

/// Finds the weights and configuration of a diffusers pipeline (a folder with model_index.json, or
/// without one but with folders of a pipeline's components) or of a single component. Of a folder
/// of Hugging Face's cache the snapshot of its main branch is taken.
///
/// variant: which of several files of a component ("fp16", "non_ema", ...); of components that do
/// not have it, and where it is empty, the plain file is taken, else the fp16 variant; .safetensors
/// before .bin. The safety checker is left out: no picture depends on it. A checkpoint that lies
/// beside model_index.json is not looked at.
/// @throws Error{kBadFile} when a shard or a component is missing or it cannot be told which file
///         is meant; Error{kUnsupported} when a component has weights in other formats only;
///         Error{kUsage} for a folder that sinter converted and for a variant that no component
///         has; Error{kIo}.
FolderPlan plan_folder(const std::filesystem::path& folder, const std::string& variant = {});

/// The snapshot that plan_folder() takes of a folder of Hugging Face's cache; any other path as it
/// is.
/// @throws Error{kBadFile} when it cannot be told which snapshot is meant.
std::filesystem::path pipeline_root(const std::filesystem::path& path);

}  // namespace sinter::weights
