#include "tests/cli/manual.h"

#include <filesystem>
#include <sstream>

#include "sinter/base/file.h"

namespace sinter::cli {

std::string manual_page(std::string_view name) {
  return read_text(std::filesystem::path(SINTER_SOURCE_DIR) / "docs" / name);
}

std::string manual_section(std::string_view command) {
  const std::string page = manual_page("cli.md");
  const std::size_t begin = page.find("\n## sinter " + std::string(command) + "\n");
  if (begin == page.npos) return {};
  return page.substr(begin + 1, page.find("\n## ", begin + 1) - begin);
}

std::vector<ManualKey> manual_keys(std::string_view command) {
  std::vector<ManualKey> keys;
  std::istringstream lines(manual_section(command));
  bool in_table = false;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('|')) in_table = false;
    if (in_table && line.starts_with("| `")) {
      const std::size_t end = line.find('`', 3);
      keys.push_back({line.substr(3, end - 3), line.find("| always |", end) != line.npos});
    }
    if (line.starts_with("| key |")) in_table = true;
  }
  return keys;
}

}  // namespace sinter::cli
