#include "sinter/weights/converted_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "sinter/base/file.h"

namespace sinter::weights {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kRecord = "sinter.json";

std::string text(const Json& object, const char* key) {
  const auto value = object.find(key);
  return value != object.end() && value->is_string() ? value->get<std::string>() : std::string();
}

std::uint64_t number(const Json& object, const char* key) {
  const auto value = object.find(key);
  return value != object.end() && value->is_number_unsigned() ? value->get<std::uint64_t>() : 0;
}

std::optional<ConvertedFolder> read_record(const fs::path& root) {
  std::error_code ignored;
  if (!fs::is_regular_file(root / kRecord, ignored)) return std::nullopt;
  const Json record = Json::parse(read_text(root / kRecord), nullptr, /*allow_exceptions=*/false);
  if (!record.is_object() || !record.contains("sinter")) return std::nullopt;
  const auto graphs = record.find("graphs");
  if (graphs == record.end() || !graphs->is_object()) return std::nullopt;

  ConvertedFolder folder{.root = root,
                         .version = text(record, "sinter"),
                         .family = text(record, "family"),
                         .prediction = text(record, "prediction"),
                         .io = text(record, "io"),
                         .weights = text(record, "weights"),
                         .sources = {},
                         .graphs = {}};
  for (const auto& [name, graph] : graphs->items()) {
    if (!graph.is_object()) continue;
    folder.graphs.push_back(
        {name, text(graph, "compute"), number(graph, "nodes"), number(graph, "weight_bytes")});
  }
  const auto sources = record.find("sources");
  if (sources == record.end() || !sources->is_array()) return folder;
  for (const Json& source : *sources)
    if (source.is_object())
      folder.sources.push_back({text(source, "path"), number(source, "bytes")});
  return folder;
}

}  // namespace

std::string ConvertedFolder::graph_names() const {
  std::vector<std::string> names;
  for (const Graph& graph : graphs) names.push_back(graph.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::optional<ConvertedFolder> read_converted_folder(const fs::path& folder) {
  if (std::optional<ConvertedFolder> whole = read_record(folder)) return whole;
  std::error_code error;
  const fs::path absolute = fs::canonical(folder, error);
  if (error) return std::nullopt;
  std::optional<ConvertedFolder> around = read_record(absolute.parent_path());
  if (!around || std::ranges::find(around->graphs, absolute.filename().string(),
                                   &ConvertedFolder::Graph::name) == around->graphs.end())
    return std::nullopt;
  return around;
}

}  // namespace sinter::weights
