#include "sinter/cli/embedding_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>

#include "sinter/base/error.h"
#include "sinter/pipeline/embedding_names.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

// Of files of one name the first is taken.
constexpr std::array<std::string_view, 4> kEndings{".safetensors", ".pt", ".bin", ".pth"};

struct EmbeddingOption {
  fs::path path;
  std::string name;  // empty: not given
};

/// A colon may stand in a file's name too: what is there is meant.
EmbeddingOption parse(const std::string& option) {
  const std::size_t colon = option.rfind(':');
  std::error_code ignored;
  if (colon == option.npos || fs::exists(option, ignored)) return {option, {}};
  if (colon + 1 == option.size())
    throw Error(ErrorCode::kUsage,
                fmt::format("--embedding is '{}', expected FILE or FILE:NAME", option));
  return {option.substr(0, colon), option.substr(colon + 1)};
}

/// Place of the file's ending in the table; the table's size for other files.
std::size_t rank_of(const fs::path& path) {
  const auto found = std::ranges::find(kEndings, path.extension().string());
  return static_cast<std::size_t>(found - kEndings.begin());
}

std::vector<fs::path> candidates(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw Error(ErrorCode::kIo,
                fmt::format("--embedding-dir: there is no folder {}", folder.string()));
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (rank_of(entry.path()) < kEndings.size() && entry.is_regular_file())
      paths.push_back(entry.path());
  std::ranges::sort(paths, {}, [](const fs::path& path) {
    return std::tuple(path.stem().string(), rank_of(path), path.string());
  });
  return paths;
}

/// The token that a file gives itself; nothing where it gives none, or is no embedding.
std::string own_token(const fs::path& path) {
  try {
    return adapters::read_embedding(weights::Checkpoint::open(path)).token;
  } catch (const Error&) {
    return {};  // other files may lie in the folder
  }
}

}  // namespace

std::vector<adapters::EmbeddingFile> open_embeddings(const std::vector<std::string>& options,
                                                     const weights::OpenOptions& open) {
  std::vector<adapters::EmbeddingFile> files;
  for (const std::string& option : options) {
    EmbeddingOption parsed = parse(option);
    weights::Checkpoint file = weights::Checkpoint::open(parsed.path, open);
    if (parsed.name.empty()) parsed.name = adapters::read_embedding(file).token;
    if (parsed.name.empty()) parsed.name = parsed.path.stem().string();
    files.push_back({std::move(parsed.name), std::move(file)});
  }
  return files;
}

std::vector<std::string> embeddings_in(const fs::path& folder, std::span<const std::string> texts) {
  const auto used = [&](const std::string& name) {
    return std::ranges::any_of(
        texts, [&](const std::string& text) { return pipeline::mentions(text, name); });
  };
  // Only tokens in brackets need the files to be opened: folders hold hundreds.
  const bool brackets = std::ranges::any_of(
      texts, [](const std::string& text) { return text.find('<') != text.npos; });
  std::vector<std::string> options;
  std::set<std::string> names;
  for (const fs::path& path : candidates(folder)) {
    std::string name = path.stem().string();
    if (!used(name)) name = brackets ? own_token(path) : std::string();
    if (name.empty() || !used(name) || !names.insert(name).second) continue;
    options.push_back(fmt::format("{}:{}", path.string(), name));
  }
  return options;
}

}  // namespace sinter::cli
