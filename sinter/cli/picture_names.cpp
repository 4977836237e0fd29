#include "sinter/cli/picture_names.h"

#include <fmt/format.h>

#include <cctype>

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

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
  fs::path path = output;
  if (!path.has_extension()) path += ".png";
  if (count == 1) return path;
  return path.parent_path() /
         fmt::format("{}-{}{}", path.stem().string(), index + 1, path.extension().string());
}

}  // namespace sinter::cli
