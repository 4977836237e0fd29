#include "sinter/engine/library_files.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

#include "sinter/base/error.h"

namespace sinter::engine {
namespace {

namespace fs = std::filesystem;

/// The number in "libnvinfer.so.11"; 0 for the plain name, nothing for every other name.
std::optional<int> major_of(std::string_view file, std::string_view plain) {
  if (!file.starts_with(plain)) return std::nullopt;
  file.remove_prefix(plain.size());
  if (file.empty()) return 0;
  if (file.front() != '.') return std::nullopt;
  int major = 0;
  const auto [end, error] = std::from_chars(file.data() + 1, file.data() + file.size(), major);
  if (error != std::errc() || end != file.data() + file.size()) return std::nullopt;
  return major;
}

/// The file of the highest major version; empty when there is none.
fs::path newest(const fs::path& folder, std::string_view plain) {
  fs::path best;
  int best_major = -1;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::optional<int> major = major_of(entry.path().filename().string(), plain);
    if (!major || *major <= best_major) continue;
    best = entry.path();
    best_major = *major;
  }
  return best;
}

}  // namespace

LibraryFiles find_library(Flavour flavour, std::span<const fs::path> folders) {
  const FlavourInfo& info = flavour_info(flavour);
  for (const fs::path& folder : folders) {
    LibraryFiles files{flavour, newest(folder, info.core), newest(folder, info.parser)};
    if (files.core.empty()) continue;
    if (files.parser.empty()) {
      throw Error(ErrorCode::kRuntime, fmt::format("{} has {} but not its parser {}",
                                                   folder.string(), info.core, info.parser));
    }
    return files;
  }
  std::string searched;
  for (const fs::path& folder : folders)
    searched += (searched.empty() ? "" : ", ") + folder.string();
  throw Error(
      ErrorCode::kRuntime,
      fmt::format("no {}: {} is not in {}", info.name, info.core,
                  searched.empty() ? "any folder that was named" : searched),
      fmt::format("{}; --library FOLDER says where its files are{}", info.package,
                  flavour == Flavour::kTensorRtRtx ? ", scripts/setup --retry fetches it" : ""));
}

}  // namespace sinter::engine
