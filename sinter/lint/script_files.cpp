#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "sinter/base/error.h"
#include "sinter/lint/lint.h"

namespace sinter::lint {
namespace fs = std::filesystem;
namespace {

bool skipped(const fs::path& folder) {
  const std::string name = folder.filename().string();
  std::error_code ignored;
  return name.starts_with('.') || name == "__pycache__" || name == "node_modules" ||
         fs::exists(folder / "pyvenv.cfg", ignored);
}

void add_folder(const fs::path& folder, std::vector<fs::path>& into) {
  std::vector<fs::path> found;
  for (fs::recursive_directory_iterator entry(folder), end; entry != end; ++entry) {
    if (entry->is_directory()) {
      if (skipped(entry->path())) entry.disable_recursion_pending();
    } else if (entry->is_regular_file() && entry->path().extension() == ".py") {
      found.push_back(entry->path());
    }
  }
  std::sort(found.begin(), found.end());
  into.insert(into.end(), found.begin(), found.end());
}

}  // namespace

std::vector<fs::path> find_scripts(const std::vector<std::string>& paths) {
  std::vector<fs::path> all;
  for (const std::string& path : paths) {
    if (fs::is_directory(path)) {
      add_folder(path, all);
    } else if (fs::exists(path)) {
      all.emplace_back(path);
    } else {
      throw Error(ErrorCode::kIo, fmt::format("{} does not exist", path));
    }
  }
  std::vector<fs::path> once;
  for (fs::path& path : all)
    if (std::find(once.begin(), once.end(), path) == once.end()) once.push_back(std::move(path));
  return once;
}

}  // namespace sinter::lint
