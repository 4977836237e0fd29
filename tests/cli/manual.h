#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sinter::cli {

/// A row of the table of JSON keys of a command in docs/cli.md.
struct ManualKey {
  std::string name;  // "graphs[].folder"; "dtypes.*" for keys that come from the file
  bool always;
};

/// The text of a page under docs/.
std::string manual_page(std::string_view name);

/// The section of docs/cli.md about a command, from its heading to the next.
std::string manual_section(std::string_view command);

/// The keys that the section lists: rows "| `key` | always | ... |".
std::vector<ManualKey> manual_keys(std::string_view command);

}  // namespace sinter::cli
