#include "sinter/weights/folder_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/base/message.h"

namespace sinter::weights {
namespace fs = std::filesystem;

// The overloads with an error code: without, a folder that may not be entered throws the library's
// own exception.
bool is_present(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    entries.push_back(entry->path());
  }
  if (error) {
    throw Error(ErrorCode::kIo,
                fmt::format("cannot list {}: {}", folder.string(), error.message()));
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

namespace {

constexpr const char* kHalfDownload = "it looks like a half download; fetch the folder again";

// Names that diffusers and transformers give to weights; any other .safetensors is taken only
// alone.
constexpr std::array<std::string_view, 3> kStems{"diffusion_pytorch_model", "model",
                                                 "pytorch_model"};
// By preference.
constexpr std::array<std::string_view, 2> kExtensions{".safetensors", ".bin"};
constexpr std::array<std::string_view, 2> kVariants{"", "fp16"};
// Weights that are not taken by the name of their folder.
constexpr std::array<std::string_view, 5> kForeignExtensions{".ckpt", ".pt", ".pth", ".msgpack",
                                                             ".onnx"};

template <std::size_t N>
std::size_t rank_in(const std::array<std::string_view, N>& table, std::string_view name) {
  return static_cast<std::size_t>(std::find(table.begin(), table.end(), name) - table.begin());
}

/// "diffusion_pytorch_model.fp16-00001-of-00002.safetensors", taken apart.
struct WeightFile {
  fs::path path;
  std::string stem;
  std::string variant;
  int shard = 0;  // from 1; 0: not a shard
  int shards = 0;
};

/// Takes "-00001-of-00002" out of the name, which may stand before or behind the variant.
std::string without_shard(const std::string& name, WeightFile& file) {
  constexpr std::string_view kPattern = "-#####-of-#####";
  for (std::size_t at = 0; at + kPattern.size() <= name.size(); ++at) {
    const auto fits = [&](char wanted, char found) {
      return wanted == '#' ? found >= '0' && found <= '9' : wanted == found;
    };
    const std::string part = name.substr(at, kPattern.size());
    if (!std::equal(kPattern.begin(), kPattern.end(), part.begin(), fits)) continue;
    file.shard = std::stoi(part.substr(1, 5));
    file.shards = std::stoi(part.substr(10, 5));
    return name.substr(0, at) + name.substr(at + kPattern.size());
  }
  return name;
}

WeightFile parse_name(const fs::path& path) {
  WeightFile file{.path = path, .stem = {}, .variant = {}};
  const std::string name = without_shard(path.stem().string(), file);
  const std::size_t dot = name.rfind('.');
  file.stem = name.substr(0, dot);
  if (dot != name.npos) file.variant = name.substr(dot + 1);
  return file;
}

nlohmann::json parse_json(const fs::path& path) {
  try {
    return nlohmann::json::parse(read_text(path));
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("{} is not JSON: {}", path.string(), error.what()));
  }
}

/// One choice of weights: all files that share stem and variant.
struct Candidate {
  std::string extension;
  std::string stem;
  std::string variant;
  std::vector<WeightFile> files;
};

/// Whether a file's name is that of weights. Other programs leave .bin files of other kinds.
bool holds_weights(const fs::path& path, const WeightFile& file) {
  if (path.filename().string().starts_with('.')) return false;
  if (path.extension() == kExtensions[0]) return true;
  return path.extension() == kExtensions[1] && rank_in(kStems, file.stem) < kStems.size();
}

std::vector<Candidate> candidates(const std::vector<fs::path>& entries) {
  std::vector<Candidate> found;
  for (const fs::path& path : entries) {
    WeightFile file = parse_name(path);
    if (!holds_weights(path, file)) continue;
    const std::string extension = path.extension().string();
    const auto same = std::find_if(found.begin(), found.end(), [&](const Candidate& candidate) {
      return candidate.extension == extension && candidate.stem == file.stem &&
             candidate.variant == file.variant;
    });
    if (same != found.end()) {
      same->files.push_back(std::move(file));
      continue;
    }
    Candidate candidate{
        .extension = extension, .stem = file.stem, .variant = file.variant, .files = {}};
    candidate.files.push_back(std::move(file));
    found.push_back(std::move(candidate));
  }
  return found;
}

/// The best candidate.
/// found: at least one.
Candidate choose(const fs::path& folder, const std::string& variant, std::vector<Candidate> found) {
  const auto rank = [&](const Candidate& candidate) {
    return std::tuple(!variant.empty() && candidate.variant != variant,
                      rank_in(kExtensions, candidate.extension), rank_in(kStems, candidate.stem),
                      rank_in(kVariants, candidate.variant));
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](const Candidate& a, const Candidate& b) { return rank(a) < rank(b); });
  if (found.size() > 1 && rank(found[0]) == rank(found[1])) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("{} holds {} and {}: it cannot be told which is meant", folder.string(),
                            found[0].files[0].path.filename().string(),
                            found[1].files[0].path.filename().string()),
                "name the file instead of the folder");
  }
  return found.front();
}

/// The weight_map of STEM.safetensors.index.json (or .bin), under either spelling of a variant;
/// empty without one.
std::map<std::string, std::string> shard_index(const fs::path& folder, const Candidate& chosen) {
  const std::string dotted = chosen.variant.empty() ? "" : "." + chosen.variant;
  for (const std::string& name : {chosen.stem + chosen.extension + ".index" + dotted + ".json",
                                  chosen.stem + dotted + chosen.extension + ".index.json"}) {
    if (!is_present(folder / name)) continue;
    const nlohmann::json index = parse_json(folder / name);
    const auto map = index.is_object() ? index.find("weight_map") : index.end();
    std::map<std::string, std::string> result;
    bool sound = index.is_object() && map != index.end() && map->is_object();
    for (auto item = sound ? map->begin() : index.end(); sound && item != map->end(); ++item) {
      sound = item->is_string();
      if (sound) result[item.key()] = item->get<std::string>();
    }
    if (!sound) {
      throw Error(ErrorCode::kBadFile,
                  fmt::format("{} has no weight_map of texts, expected tensor names and file names",
                              (folder / name).string()));
    }
    return result;
  }
  return {};
}

[[noreturn]] void missing_shard(const fs::path& folder, std::string_view what) {
  throw Error(ErrorCode::kBadFile, fmt::format("{} lacks {}", folder.string(), what),
              kHalfDownload);
}

FolderPart part_from(const fs::path& folder, const Candidate& chosen, std::string prefix) {
  FolderPart part{.prefix = std::move(prefix), .files = {}, .shard_of = {}};
  const auto whole = std::find_if(chosen.files.begin(), chosen.files.end(),
                                  [](const WeightFile& file) { return file.shard == 0; });
  if (whole != chosen.files.end()) {
    part.files.push_back(whole->path);
    return part;
  }
  const int shards = chosen.files.front().shards;
  for (int i = 1; i <= shards; ++i) {
    const auto shard = std::find_if(
        chosen.files.begin(), chosen.files.end(),
        [&](const WeightFile& file) { return file.shard == i && file.shards == shards; });
    if (shard == chosen.files.end()) {
      missing_shard(folder, fmt::format("shard {} of {} of {}", i, shards, chosen.stem));
    }
    part.files.push_back(shard->path);
  }
  part.shard_of = shard_index(folder, chosen);
  for (const auto& [tensor, file] : part.shard_of) {
    const bool present = std::any_of(part.files.begin(), part.files.end(),
                                     [&](const fs::path& path) { return path.filename() == file; });
    if (!present)
      missing_shard(folder, fmt::format("{}, which holds '{}'", shown(file), shown(tensor)));
  }
  return part;
}

/// Weights in another format, to name them where there is no other.
std::optional<fs::path> foreign_weights(const std::vector<fs::path>& entries) {
  for (const fs::path& path : entries) {
    if (rank_in(kForeignExtensions, path.extension().string()) < kForeignExtensions.size()) {
      return path;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<FolderPart> find_part(const fs::path& folder, const std::string& prefix,
                                    const std::string& variant, std::set<std::string>& variants) {
  const std::vector<fs::path> entries = sorted_entries(folder);
  std::vector<Candidate> found = candidates(entries);
  for (const Candidate& candidate : found) variants.insert(candidate.variant);
  if (!found.empty()) return part_from(folder, choose(folder, variant, std::move(found)), prefix);
  for (const fs::path& path : entries) {
    const std::string name = path.filename().string();
    if (name.find(".safetensors.index") != name.npos || name.find(".bin.index") != name.npos)
      missing_shard(folder, fmt::format("the shards that {} names", name));
  }
  if (const std::optional<fs::path> path = foreign_weights(entries)) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("{} is the only weight file there, expected .safetensors or .bin",
                            path->string()),
                "name that file itself, or save the component as safetensors");
  }
  return std::nullopt;
}

}  // namespace sinter::weights
