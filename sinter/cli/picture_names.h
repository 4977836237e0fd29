#pragma once

#include <filesystem>
#include <string>

namespace sinter::cli {

/// Where picture `index` (from 0) of `count` goes. output: a file ("cat.png" gives cat-1.png,
/// cat-2.png where there are several) or a folder (an existing one, or a name that ends in "/"),
/// which gets SEED-words-of-the-prompt.png.
std::filesystem::path picture_path(const std::string& output, std::size_t index, std::size_t count,
                                   std::uint64_t seed, const std::string& prompt);

}  // namespace sinter::cli
