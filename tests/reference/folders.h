#pragma once

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace sinter {

/// Folders of reference data: manifests/, cases/, small/. Those of SINTER_REFERENCE (separated by
/// ':'); without it, the copies in tests/data and ../shared/reference where that is.
inline std::vector<std::filesystem::path> reference_folders() {
  std::vector<std::filesystem::path> folders;
  if (const char* list = std::getenv("SINTER_REFERENCE"); list != nullptr && *list != '\0') {
    std::istringstream stream(list);
    for (std::string folder; std::getline(stream, folder, ':');) {
      if (!folder.empty()) folders.emplace_back(folder);
    }
    return folders;
  }
  folders.emplace_back(SINTER_TEST_DATA);
  const std::filesystem::path shared =
      std::filesystem::path(SINTER_SOURCE_DIR) / ".." / "shared" / "reference";
  if (std::filesystem::exists(shared)) folders.push_back(shared);
  return folders;
}

}  // namespace sinter
