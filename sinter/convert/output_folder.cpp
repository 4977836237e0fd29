#include "sinter/convert/output_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/base/file.h"

namespace sinter::convert {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
namespace {

constexpr std::string_view kRecord = "sinter.json";

/// What an earlier conversion says that it wrote.
struct Record {
  std::set<std::string> files;  // relative to the folder
  std::set<std::string> folders;
  std::vector<std::string> links;
  std::vector<std::string> sources;
};

std::vector<std::string> texts(const Json& json) {
  std::vector<std::string> result;
  for (const Json& item : json)
    if (item.is_string()) result.push_back(item.get<std::string>());
  return result;
}

/// Nothing where the folder has no record or that of another program.
std::optional<Record> read_record(const fs::path& out) {
  if (!fs::exists(out / kRecord)) return std::nullopt;
  const Json json = Json::parse(read_text(out / kRecord), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("sinter") || !json.contains("files")) return std::nullopt;
  Record record;
  record.files = {std::string(kRecord)};
  for (const std::string& file : texts(json["files"])) {
    record.files.insert(file);
    for (fs::path up = fs::path(file).parent_path(); !up.empty() && up != up.root_path();
         up = up.parent_path())
      record.folders.insert(up.generic_string());
  }
  if (json.contains("links")) record.links = texts(json["links"]);
  if (json.contains("sources") && json["sources"].is_array()) {
    for (const Json& source : json["sources"])
      if (source.is_object() && source.contains("path") && source["path"].is_string())
        record.sources.push_back(source["path"].get<std::string>());
  }
  return record;
}

/// The first entry by name that the record does not have.
std::optional<std::string> foreign_entry(const fs::path& out, const Record& record) {
  std::optional<std::string> first;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(out)) {
    const std::string name = entry.path().lexically_relative(out).generic_string();
    const bool folder = entry.is_directory() && !entry.is_symlink();
    const std::set<std::string>& ours = folder ? record.folders : record.files;
    if (!ours.contains(name) && (!first || name < *first)) first = name;
  }
  return first;
}

/// Refuses where a link is all that is left of weights: they have no name outside the folder, and
/// nothing is where they were linked from (a newer checkpoint there means that they were given up).
void require_other_names(const fs::path& out, const Record& record) {
  const auto gone = std::ranges::find_if_not(
      record.sources, [](const std::string& source) { return fs::exists(source); });
  if (gone == record.sources.end()) return;
  std::vector<fs::path> links;
  for (const std::string& link : record.links)
    if (fs::is_regular_file(out / link)) links.push_back(out / link);
  for (const fs::path& link : links) {
    const auto inside = std::ranges::count_if(
        links, [&](const fs::path& other) { return fs::equivalent(link, other); });
    if (fs::hard_link_count(link) > static_cast<std::uintmax_t>(inside)) continue;
    throw Error(
        ErrorCode::kUsage,
        fmt::format("{} is the last name of a checkpoint and would be deleted", link.string()),
        fmt::format("{} is gone; move the file out of the folder, name a new folder, or "
                    "remove the old one first",
                    *gone));
  }
}

/// Both canonical.
bool is_within(const fs::path& path, const fs::path& folder) {
  const fs::path inside = path.lexically_relative(folder);
  return !inside.empty() && *inside.begin() != "..";
}

void require_ours(const fs::path& out) {
  const std::optional<Record> record = read_record(out);
  if (!record) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{} exists and was not made by sinter", out.string()),
                "name a new folder, or remove it first");
  }
  if (const std::optional<std::string> foreign = foreign_entry(out, *record)) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{} holds '{}', which sinter did not write and which would be deleted",
                            out.string(), *foreign),
                "move that elsewhere, name a new folder, or remove the old one first");
  }
  require_other_names(out, *record);
}

}  // namespace

fs::path output_place(const fs::path& out) {
  if (out.empty())
    throw Error(ErrorCode::kUsage, "the folder to write has no name", "name a folder");
  fs::path place = out.has_filename() ? out : out.parent_path();  // "out/" is "out"
  if (fs::exists(place)) return fs::is_symlink(place) ? fs::canonical(place) : place;
  while (fs::is_symlink(place)) place = place.parent_path() / fs::read_symlink(place);
  return place;
}

void require_replaceable(const fs::path& out, const fs::path& checkpoint) {
  if (!fs::exists(out)) return;
  if (!fs::is_directory(out))
    throw Error(ErrorCode::kUsage, fmt::format("{} exists and is not a folder", out.string()));
  const fs::path folder = fs::canonical(out);
  if (is_within(fs::canonical(checkpoint), folder)) {
    throw Error(ErrorCode::kUsage, fmt::format("{} holds the checkpoint {} and would be replaced",
                                               out.string(), checkpoint.string()));
  }
  if (is_within(fs::current_path(), folder)) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{} is the current folder, or holds it, and would be replaced under it",
                            out.string()),
                fmt::format("go to another folder first: cd '{}'", folder.parent_path().string()));
  }
  if (!fs::is_empty(folder)) require_ours(out);
}

FolderContent content_of(const fs::path& folder) {
  FolderContent content;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = entry.path().lexically_relative(folder).generic_string();
    content.files.insert(name);
    if (entry.hard_link_count() > 1) content.links.insert(name);
  }
  return content;
}

}  // namespace sinter::convert
