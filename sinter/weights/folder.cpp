#include "sinter/weights/folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/base/message.h"
#include "sinter/weights/converted_folder.h"
#include "sinter/weights/folder_part.h"

namespace sinter::weights {
namespace fs = std::filesystem;
namespace {

constexpr const char* kHalfDownload = "it looks like a half download; fetch the folder again";
constexpr std::string_view kPipelineIndex = "model_index.json";
constexpr std::array<std::string_view, 2> kLeftOut{"safety_checker", "feature_extractor"};
// Components whose absence is a half download; a pipeline may name others that nothing here needs.
constexpr std::array<std::string_view, 4> kNeeded{"text_encoder", "text_encoder_2", "unet", "vae"};
constexpr std::string_view kSeveral = "MultiControlNetModel";

template <std::size_t N>
bool is_in(const std::array<std::string_view, N>& table, std::string_view name) {
  return std::find(table.begin(), table.end(), name) != table.end();
}

void add_configs(const fs::path& folder, const std::string& prefix, FolderPlan& plan) {
  for (const fs::path& path : sorted_entries(folder)) {
    const std::string name = path.filename().string();
    if (name != kPipelineIndex && !name.ends_with("config.json")) continue;
    if (is_file(path)) plan.configs[prefix + name] = read_text(path);
  }
}

nlohmann::json parse_index(const fs::path& path) {
  try {
    return nlohmann::json::parse(read_text(path));
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("{} is not JSON: {}", path.string(), error.what()));
  }
}

/// Adds the folders of the other networks of a component that is several: "controlnet_1", ...,
/// which no index names. Source: MultiControlNetModel.save_pretrained of diffusers.
void add_numbered(const fs::path& folder, const std::string& name,
                  std::vector<std::string>& names) {
  for (int i = 1; is_folder(folder / fmt::format("{}_{}", name, i)); ++i)
    names.push_back(fmt::format("{}_{}", name, i));
}

/// Sub-folders that the pipeline's index names.
std::vector<std::string> components(const fs::path& folder) {
  const nlohmann::json index = parse_index(folder / kPipelineIndex);
  if (!index.is_object()) {
    throw Error(ErrorCode::kBadFile, fmt::format("{} is no JSON object, expected the components",
                                                 (folder / kPipelineIndex).string()));
  }
  std::vector<std::string> names;
  for (const auto& [name, value] : index.items()) {
    // [library, class]; [null, null] says that the pipeline goes without.
    const bool component = value.is_array() && value.size() == 2 && value[1].is_string();
    const bool left_out = is_in(kLeftOut, name);
    // A name from the file must not lead out of the folder.
    const bool plain = name.find_first_of("/\\") == name.npos && name != "..";
    if (!component || left_out || !plain) continue;
    if (is_folder(folder / name)) {
      names.push_back(name);
      if (value[1] == kSeveral) add_numbered(folder, name, names);
    } else if (is_in(kNeeded, name))
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

/// Components of a folder that has lost its index.
std::vector<std::string> components_without_index(const fs::path& folder) {
  std::vector<std::string> names;
  for (const std::string_view name : kNeeded)
    if (is_folder(folder / name)) names.emplace_back(name);
  return names;
}

/// Of a folder of Hugging Face's cache ("models--OWNER--NAME"), the snapshot that is meant.
fs::path snapshot_of(const fs::path& folder) {
  const fs::path snapshots = folder / "snapshots";
  if (!is_folder(snapshots) || is_present(folder / kPipelineIndex)) return folder;
  if (is_file(folder / "refs" / "main")) {
    std::string name = read_text(folder / "refs" / "main");
    while (!name.empty() && name.back() <= ' ') name.pop_back();
    const bool plain = !name.empty() && name.find_first_of("/\\.") == name.npos;
    if (plain && is_folder(snapshots / name)) return snapshots / name;
  }
  const std::vector<fs::path> entries = sorted_entries(snapshots);
  if (entries.size() == 1) return entries.front();
  throw Error(ErrorCode::kBadFile,
              fmt::format("{} holds {}: it cannot be told which is meant", snapshots.string(),
                          counted(entries.size(), "snapshot")),
              "name the folder of one snapshot");
}

/// A variant that no component has was not meant.
void require_variant(const std::string& variant, const std::set<std::string>& variants,
                     const fs::path& folder) {
  if (variant.empty() || variants.contains(variant)) return;
  std::vector<std::string> there;
  for (const std::string& name : variants) there.push_back(name.empty() ? "no variant" : name);
  throw Error(ErrorCode::kUsage,
              fmt::format("{} has no weights of variant '{}'; it has {}", folder.string(),
                          shown(variant), fmt::join(there, ", ")));
}

}  // namespace

fs::path pipeline_root(const fs::path& path) { return is_folder(path) ? snapshot_of(path) : path; }

FolderPlan plan_folder(const fs::path& path, const std::string& variant) {
  refuse_converted(path);
  const fs::path folder = snapshot_of(path);
  FolderPlan plan;
  plan.root = folder;
  std::set<std::string> variants;
  const auto add = [&](const fs::path& place, const std::string& prefix) {
    std::optional<FolderPart> part = find_part(place, prefix, variant, variants);
    if (part) plan.parts.push_back(std::move(*part));
    return part.has_value();
  };
  add_configs(folder, "", plan);
  const bool indexed = is_present(folder / kPipelineIndex);
  if (!indexed && add(folder, "")) {
    require_variant(variant, variants, folder);
    return plan;
  }
  for (const std::string& name : indexed ? components(folder) : components_without_index(folder)) {
    add_configs(folder / name, name + "/", plan);
    const bool found = add(folder / name, name + "/");
    // Schedulers and tokenizers have configuration files of other names.
    if (!found && plan.configs.contains(name + "/config.json"))
      throw Error(ErrorCode::kBadFile,
                  fmt::format("{} has config.json and no weights, expected a .safetensors file",
                              (folder / name).string()),
                  kHalfDownload);
  }
  if (!indexed && is_folder(folder / "scheduler"))
    add_configs(folder / "scheduler", "scheduler/", plan);
  if (!plan.parts.empty()) require_variant(variant, variants, folder);
  return plan;
}

}  // namespace sinter::weights
