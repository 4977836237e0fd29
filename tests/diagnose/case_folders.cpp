#include "tests/diagnose/case_folders.h"

#include <cstdlib>
#include <sstream>

#include "sinter/base/file.h"

namespace sinter::diagnose {
namespace fs = std::filesystem;

std::vector<fs::path> case_roots() {
  std::vector<fs::path> roots{fs::path(SINTER_TEST_DATA) / "diagnose"};
  if (const char* more = std::getenv("SINTER_CASES")) {
    std::stringstream list(more);
    for (std::string root; std::getline(list, root, ':');)
      if (!root.empty()) roots.emplace_back(root);
  } else {
    roots.push_back(fs::path(SINTER_SOURCE_DIR) / "../shared/cases");
  }
  return roots;
}

std::vector<CaseFolder> case_folders(const std::string& kind) {
  std::vector<CaseFolder> folders;
  for (const fs::path& root : case_roots()) {
    const fs::path file = root / kind / "expected.json";
    if (fs::exists(file)) folders.push_back({root / kind, nlohmann::json::parse(read_text(file))});
  }
  return folders;
}

}  // namespace sinter::diagnose
