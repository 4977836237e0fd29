#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace sinter::convert {

// An output folder is replaced as a whole, with everything in it. So its sinter.json lists what was
// written, and a folder that holds anything else is left alone.

/// Where the output is written: a symbolic link to it stays, what it leads to is replaced.
/// @throws Error{kUsage} for an empty name; the operating system's for a link that leads to itself.
std::filesystem::path output_place(const std::filesystem::path& out);

/// @throws Error{kUsage} when `out` (an output_place) exists and is not a folder, is not sinter's,
/// holds a file that sinter did not write, the checkpoint, the last name of linked weights whose
/// source is gone, or the current folder.
void require_replaceable(const std::filesystem::path& out, const std::filesystem::path& checkpoint);

/// What a folder holds, by names relative to it: "files" and "links" of sinter.json.
struct FolderContent {
  std::set<std::string> files;
  std::set<std::string> links;  // those of them that are second names of weights
};
FolderContent content_of(const std::filesystem::path& folder);

}  // namespace sinter::convert
