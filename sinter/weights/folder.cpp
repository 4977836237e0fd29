#include "sinter/weights/folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/base/message.h"
#include "sinter/weights/converted_folder.h"

namespace sinter::weights {
namespace fs = std::filesystem;
namespace {

constexpr const char* kHalfDownload = "it looks like a half download; fetch the folder again";
constexpr std::string_view kExtension = ".safetensors";
constexpr std::string_view kPipelineIndex = "model_index.json";
constexpr std::array<std::string_view, 2> kLeftOut{"safety_checker", "feature_extractor"};
// Components whose absence is a half download; a pipeline may name others that nothing here needs.
constexpr std::array<std::string_view, 4> kNeeded{"text_encoder", "text_encoder_2", "unet", "vae"};

// Names that diffusers and transformers give to weights; any other name is taken only alone.
constexpr std::array<std::string_view, 2> kStems{"diffusion_pytorch_model", "model"};
// By preference: no variant, then fp16, then any other ("non_ema", "bf16").
constexpr std::array<std::string_view, 2> kVariants{"", "fp16"};
// Weights in formats that this reader does not take.
constexpr std::array<std::string_view, 6> kForeignExtensions{".bin", ".ckpt",    ".pt",
                                                             ".pth", ".msgpack", ".onnx"};

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

// The overloads with an error code: without, a folder that may not be entered throws the library's
// own exception. What cannot be seen is not there; reading it then says why.
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
  std::size_t stem_rank;
  std::size_t variant_rank;
  std::string stem;
  std::string variant;
  std::vector<WeightFile> files;
};

std::vector<Candidate> candidates(const std::vector<fs::path>& entries) {
  std::vector<Candidate> found;
  for (const fs::path& path : entries) {
    if (path.extension() != kExtension || path.filename().string().starts_with('.')) continue;
    WeightFile file = parse_name(path);
    const auto same = std::find_if(found.begin(), found.end(), [&](const Candidate& candidate) {
      return candidate.stem == file.stem && candidate.variant == file.variant;
    });
    if (same != found.end()) {
      same->files.push_back(std::move(file));
      continue;
    }
    Candidate candidate{.stem_rank = rank_in(kStems, file.stem),
                        .variant_rank = rank_in(kVariants, file.variant),
                        .stem = file.stem,
                        .variant = file.variant,
                        .files = {}};
    candidate.files.push_back(std::move(file));
    found.push_back(std::move(candidate));
  }
  std::stable_sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(a.stem_rank, a.variant_rank) < std::tie(b.stem_rank, b.variant_rank);
  });
  return found;
}

/// The best candidate, or nothing.
std::optional<Candidate> choose(const fs::path& folder, const std::vector<fs::path>& entries) {
  const std::vector<Candidate> found = candidates(entries);
  if (found.empty()) return std::nullopt;
  const auto rank = [](const Candidate& c) { return std::tie(c.stem_rank, c.variant_rank); };
  if (found.size() > 1 && rank(found[0]) == rank(found[1])) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("{} holds {} and {}: it cannot be told which is meant", folder.string(),
                            found[0].files[0].path.filename().string(),
                            found[1].files[0].path.filename().string()),
                "name the file instead of the folder");
  }
  return found.front();
}

/// The text of STEM.safetensors.index.json, under either spelling of a variant; empty without one.
std::map<std::string, std::string> shard_index(const fs::path& folder, const Candidate& chosen) {
  const std::string dotted = chosen.variant.empty() ? "" : "." + chosen.variant;
  for (const std::string& name : {chosen.stem + ".safetensors.index" + dotted + ".json",
                                  chosen.stem + dotted + ".safetensors.index.json"}) {
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

/// Adds the weights of one folder; false where it has none.
bool add_part(const fs::path& folder, const std::string& prefix, FolderPlan& plan) {
  const std::vector<fs::path> entries = sorted_entries(folder);
  if (const std::optional<Candidate> chosen = choose(folder, entries)) {
    plan.parts.push_back(part_from(folder, *chosen, prefix));
    return true;
  }
  for (const fs::path& path : entries) {
    if (path.filename().string().find(".safetensors.index") != std::string::npos) {
      missing_shard(folder, fmt::format("the shards that {} names", path.filename().string()));
    }
  }
  if (const std::optional<fs::path> path = foreign_weights(entries)) {
    throw Error(
        ErrorCode::kUnsupported,
        fmt::format("{} is the only weight file there, expected .safetensors", path->string()),
        "save the component as safetensors");
  }
  return false;
}

void add_configs(const fs::path& folder, const std::string& prefix, FolderPlan& plan) {
  for (const fs::path& path : sorted_entries(folder)) {
    const std::string name = path.filename().string();
    if (name != kPipelineIndex && !name.ends_with("config.json")) continue;
    if (is_file(path)) plan.configs[prefix + name] = read_text(path);
  }
}

/// Sub-folders that the pipeline's index names.
std::vector<std::string> components(const fs::path& folder) {
  const nlohmann::json index = parse_json(folder / kPipelineIndex);
  if (!index.is_object()) {
    throw Error(ErrorCode::kBadFile, fmt::format("{} is no JSON object, expected the components",
                                                 (folder / kPipelineIndex).string()));
  }
  std::vector<std::string> names;
  for (const auto& [name, value] : index.items()) {
    // [library, class]; [null, null] says that the pipeline goes without.
    const bool component = value.is_array() && value.size() == 2 && value[1].is_string();
    const bool left_out = rank_in(kLeftOut, name) < kLeftOut.size();
    // A name from the file must not lead out of the folder.
    const bool plain = name.find_first_of("/\\") == name.npos && name != "..";
    if (!component || left_out || !plain) continue;
    if (is_folder(folder / name))
      names.push_back(name);
    else if (rank_in(kNeeded, name) < kNeeded.size())
      throw Error(
          ErrorCode::kBadFile,
          fmt::format("{} names '{}', but there is no {}", (folder / kPipelineIndex).string(),
                      shown(name), (folder / name).string()),
          "fetch the folder again, or name the folder of one component");
  }
  return names;
}

/// The graphs of a converted folder lie beside links to the checkpoint, which would be taken for
/// it.
void refuse_converted(const fs::path& folder) {
  const std::optional<ConvertedFolder> converted = read_converted_folder(folder);
  if (!converted) return;
  const bool known = converted->sources.size() == 1 && !converted->sources.front().path.empty();
  throw Error(
      ErrorCode::kUsage, fmt::format("{} is converted already", folder.string()),
      fmt::format("sinter generate, verify and bench take it as it is; to convert again, name {}",
                  known ? converted->sources.front().path : "the checkpoint"));
}

}  // namespace

FolderPlan plan_folder(const fs::path& folder) {
  refuse_converted(folder);
  FolderPlan plan;
  add_configs(folder, "", plan);
  if (is_present(folder / kPipelineIndex)) {
    for (const std::string& name : components(folder)) {
      add_configs(folder / name, name + "/", plan);
      const bool found = add_part(folder / name, name + "/", plan);
      // Schedulers and tokenizers have configuration files of other names.
      if (!found && plan.configs.contains(name + "/config.json"))
        throw Error(ErrorCode::kBadFile,
                    fmt::format("{} has config.json and no weights, expected a .safetensors file",
                                (folder / name).string()),
                    kHalfDownload);
    }
  } else {
    add_part(folder, "", plan);
  }
  return plan;
}

}  // namespace sinter::weights
