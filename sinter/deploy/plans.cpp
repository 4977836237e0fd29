#include "sinter/deploy/plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <system_error>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/base/file.h"

namespace sinter::deploy {
namespace fs = std::filesystem;
namespace {

// "8.9" of "sm89", "12.0" of "sm120"; "" of anything else.
std::string capability(std::string_view word) {
  if (!word.starts_with("sm") || word.size() < 4 || word.size() > 5) return "";
  const std::string_view digits = word.substr(2);
  if (digits.find_first_not_of("0123456789") != digits.npos) return "";
  return fmt::format("{}.{}", digits.substr(0, digits.size() - 1), digits.back());
}

std::vector<std::string> capabilities(std::string_view words) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t end = std::min(words.find('-', at), words.size());
    std::string one = capability(words.substr(at, end - at));
    if (one.empty()) return {};
    result.push_back(std::move(one));
    at = end + 1;
  }
  return result;
}

// Triton's backend links TensorRT; plans of TensorRT-RTX are of another library.
void refuse_rtx(const fs::path& folder) {
  const fs::path manifest = folder / "manifest.json";
  std::error_code ignored;
  if (!fs::exists(manifest, ignored)) return;
  const auto json = nlohmann::json::parse(read_text(manifest), nullptr, false);
  if (json.dump().find("tensorrt-rtx") == std::string::npos &&
      json.dump().find("TensorRT-RTX") == std::string::npos) {
    return;
  }
  throw Error(ErrorCode::kBadFile,
              fmt::format("the engines in {} are TensorRT-RTX's, and Triton's backend loads only "
                          "those of TensorRT",
                          folder.string()),
              "build with TensorRT (sinter build --engine tensorrt), or export the ONNX files");
}

}  // namespace

std::map<std::string, Plans> plans_in(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    throw Error(ErrorCode::kIo, fmt::format("there is no folder of engines {}", folder.string()),
                "build them first (sinter build), or name their folder with --engines");
  }
  refuse_rtx(folder);
  std::set<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    files.insert(entry.path());
  std::map<std::string, Plans> result;
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    if (file.extension() != ".engine" && file.extension() != ".plan") continue;
    const std::size_t first = name.find('.');
    const std::size_t second = name.find('.', first + 1);
    if (second == name.npos) continue;
    for (const std::string& one : capabilities(name.substr(first + 1, second - first - 1))) {
      const auto [known, fresh] = result[name.substr(0, first)].emplace(one, file);
      if (fresh) continue;
      throw Error(ErrorCode::kUsage,
                  fmt::format("{} and {} are both for {} on compute capability {}",
                              known->second.filename().string(), name, name.substr(0, first), one),
                  "keep one of them in the folder, or name another folder with --engines");
    }
  }
  return result;
}

}  // namespace sinter::deploy
