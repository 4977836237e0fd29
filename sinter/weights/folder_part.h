#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sinter/weights/folder.h"

namespace sinter::weights {

/// The weight files of one folder, by their names.
///
/// prefix: of the part. variant: "fp16", "non_ema", ...: taken where it is there; empty: none. Of
/// what is left, .safetensors before .bin, the names that diffusers and transformers give before
/// others, and no variant before fp16 before any other.
/// variants: receives the variants that the folder has ("" for the plain file).
/// Returns nothing where the folder holds no weights.
/// @throws as plan_folder().
std::optional<FolderPart> find_part(const std::filesystem::path& folder, const std::string& prefix,
                                    const std::string& variant, std::set<std::string>& variants);

// Questions to the system that take what cannot be seen for absent; reading it then says why.
bool is_present(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);
bool is_file(const std::filesystem::path& path);

/// @throws Error{kIo} when the folder cannot be listed.
std::vector<std::filesystem::path> sorted_entries(const std::filesystem::path& folder);

}  // namespace sinter::weights
