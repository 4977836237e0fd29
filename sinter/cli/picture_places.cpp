#include "sinter/cli/picture_places.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/cli/picture_names.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

/// Every file that will be written, pictures first.
std::vector<fs::path> places(const GenerateArguments& options) {
  std::vector<fs::path> paths;
  for (std::size_t i = 0; i < picture_count(options); ++i) {
    const auto batch = static_cast<std::size_t>(options.generate.batch);
    const pipeline::GenerateOptions generate = for_prompt(options, i / batch);
    paths.push_back(picture_path(options.output, i, picture_count(options),
                                 generate.seed + i % batch, generate.prompt));
  }
  if (options.sheet) paths.push_back(png_path(*options.sheet));
  return paths;
}

}  // namespace

std::size_t picture_count(const GenerateArguments& options) {
  return options.prompts.size() * static_cast<std::size_t>(options.generate.batch);
}

void prepare_places(const GenerateArguments& options) {
  const std::vector<fs::path> paths = places(options);
  prepare_place(paths.front());
  if (options.sheet) prepare_place(paths.back());
  if (options.control.map) prepare_place(map_path(options.control, 0, 1));
}

void check_places(const GenerateArguments& options) {
  const auto require_name = [](const char* option, const std::string& name, const char* expected) {
    if (!name.empty()) return;
    throw Error(ErrorCode::kUsage, fmt::format("{} is empty, expected {}", option, expected));
  };
  require_name("--output", options.output, "a .png file or a folder");
  if (options.sheet) require_name("--sheet", *options.sheet, "a .png file");
  std::vector<fs::path> paths = places(options);
  for (const fs::path& path : paths) require_place(path);
  if (options.control.map) require_place(map_path(options.control, 0, 1));
  if (!options.sheet) return;
  const fs::path sheet = paths.back();
  paths.pop_back();
  for (const fs::path& path : paths) {
    if (!same_file(path, sheet)) continue;
    throw Error(ErrorCode::kUsage,
                fmt::format("--output and --sheet would both be written to {}", sheet.string()));
  }
}

}  // namespace sinter::cli
