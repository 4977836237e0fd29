#include "sinter/cli/file_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <sstream>
#include <string_view>

#include "sinter/base/file.h"
#include "sinter/base/hash.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 3> kRead{".json", ".txt", ".onnx"};
constexpr std::uint64_t kMostRead = std::uint64_t{64} << 20;  // graphs hold no weights

std::string identity(const fs::path& file) {
  const FileStamp stamp = file_stamp(file);
  const bool read = std::ranges::find(kRead, file.extension().string()) != kRead.end();
  if (read && stamp.bytes <= kMostRead) return sha256_hex(MappedFile(file).bytes());
  return fmt::format("{}@{}", stamp.bytes, stamp.modified_ns);
}

// Path to identity, of a list's lines.
std::map<std::string, std::string> entries(const std::string& list) {
  std::map<std::string, std::string> result;
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = line.find(' ');
    if (space != line.npos) result[line.substr(space + 1)] = line.substr(0, space);
  }
  return result;
}

}  // namespace

std::string file_list(const fs::path& folder) {
  std::map<std::string, std::string> files;
  // A component's folder may be a link; going no deeper, no circle can be met.
  fs::recursive_directory_iterator entry(folder, fs::directory_options::follow_directory_symlink);
  for (; entry != fs::recursive_directory_iterator(); ++entry) {
    if (entry.depth() >= 1) entry.disable_recursion_pending();
    if (!entry->is_regular_file()) continue;
    files[entry->path().lexically_relative(folder).generic_string()] = identity(entry->path());
  }
  std::string list;
  for (const auto& [path, what] : files) list += fmt::format("{} {}\n", what, path);
  return list;
}

std::optional<std::string> first_difference(const std::string& recorded, const std::string& found) {
  const auto before = entries(recorded);
  const auto now = entries(found);
  for (const auto& [path, what] : before) {
    const auto same = now.find(path);
    if (same == now.end()) return path + " is missing";
    if (same->second != what) return path + " was changed";
  }
  for (const auto& [path, what] : now)
    if (!before.contains(path)) return path + " does not belong there";
  return std::nullopt;
}

}  // namespace sinter::cli
