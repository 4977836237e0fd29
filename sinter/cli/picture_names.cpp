#include "sinter/cli/picture_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <system_error>

#include "sinter/base/error.h"
#include "sinter/base/file.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 7> kOtherFormats{".jpg", ".jpeg", ".webp", ".gif",
                                                        ".bmp", ".tif",  ".tiff"};
constexpr std::size_t kLongest = 48;  // of the words of a prompt in a file name

/// The prompt's ASCII letters and digits with dashes between words.
std::string words(const std::string& prompt) {
  std::string result;
  for (const char c : prompt) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (plain) {
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
    if (result.size() >= kLongest) break;
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result.empty() ? "picture" : result;
}

}  // namespace

fs::path picture_path(const std::string& output, std::size_t index, std::size_t count,
                      std::uint64_t seed, const std::string& prompt) {
  if (output.ends_with('/') || fs::is_directory(output)) {
    const std::string number = count > 1 ? fmt::format("{:02}-", index + 1) : "";
    return fs::path(output) / fmt::format("{}{}-{}.png", number, seed, words(prompt));
  }
  const fs::path path = png_path(output);
  if (count == 1) return path;
  return path.parent_path() /
         fmt::format("{}-{}{}", path.stem().string(), index + 1, path.extension().string());
}

fs::path png_path(const std::string& name) {
  fs::path path = name;
  if (!path.has_filename())
    throw Error(ErrorCode::kUsage, fmt::format("{} is a folder, expected a .png file", name));
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  if (ending == ".png") return path;
  if (std::ranges::find(kOtherFormats, ending) != kOtherFormats.end()) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("{} would be a {} file, and pictures are written as .png", name, ending));
  }
  return path += ".png";
}

void require_place(const fs::path& path) {
  if (fs::is_directory(path))
    throw Error(ErrorCode::kUsage, fmt::format("{} is a folder, not a file", path.string()));
  fs::path above = path.parent_path();
  std::error_code ignored;
  while (above.has_relative_path() && !fs::exists(above, ignored)) above = above.parent_path();
  if (!above.empty() && !fs::is_directory(above, ignored)) {
    throw Error(ErrorCode::kIo, fmt::format("cannot create the folder {}: {} is a file",
                                            path.parent_path().string(), above.string()));
  }
}

bool same_file(const fs::path& a, const fs::path& b) {
  return fs::weakly_canonical(fs::absolute(a)) == fs::weakly_canonical(fs::absolute(b));
}

void prepare_place(const fs::path& path) {
  if (path.has_parent_path()) {
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error) {
      throw Error(ErrorCode::kIo, fmt::format("cannot create the folder {}: {}",
                                              path.parent_path().string(), error.message()));
    }
  }
  const AtomicFile attempt(path, Durability::kProcess);  // leaves nothing
}

}  // namespace sinter::cli
