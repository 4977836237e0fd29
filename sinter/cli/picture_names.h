#pragma once

#include <filesystem>
#include <string>

namespace sinter::cli {

/// Where picture `index` (from 0) of `count` goes. output: a file ("cat.png" gives cat-1.png,
/// cat-2.png where there are several) or a folder (an existing one, or a name that ends in "/"),
/// which gets SEED-words-of-the-prompt.png, numbered where there are several.
/// @throws as png_path.
std::filesystem::path picture_path(const std::string& output, std::size_t index, std::size_t count,
                                   std::uint64_t seed, const std::string& prompt);

/// The .png file that `name` means: the ending is added where none of a picture stands.
/// @throws Error{kUsage} for the ending of another format, and for a folder.
std::filesystem::path png_path(const std::string& name);

/// Refuses what can be seen to be no place for a picture, touching nothing.
/// @throws Error{kUsage} for a folder; Error{kIo} where a file stands in the way.
void require_place(const std::filesystem::path& path);

/// Whether two names are of one file, there or not yet.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Makes the folders of a picture's path and tries whether it can be written, so that nobody waits
/// for a picture that has no place.
/// @throws Error{kIo}.
void prepare_place(const std::filesystem::path& path);

}  // namespace sinter::cli
