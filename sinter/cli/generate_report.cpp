#include "sinter/cli/generate_report.h"

#include <fmt/format.h>

#include "sinter/cli/text.h"

namespace sinter::cli {
using Json = nlohmann::ordered_json;

void print_text(const Drawing& drawing, bool profile) {
  for (const Written& written : drawing.pictures) fmt::print("{}\n", written.path.string());
  for (const std::filesystem::path& map : drawing.control_maps) fmt::print("{}\n", map.string());
  if (drawing.sheet) fmt::print("{}\n", drawing.sheet->string());
  if (!profile) return;
  fmt::print("{:<24} {:>10} {:>10}\n", "stage", "time", "peak RSS");
  for (const pipeline::StageRecord& stage : drawing.stages)
    fmt::print("{:<24} {:>8.2f} s {:>10}\n", stage.name, stage.seconds,
               human_bytes(stage.peak_rss_bytes));
}

Json to_json(const Drawing& drawing) {
  Json json{{"pictures", Json::array()}, {"stages", Json::array()}};
  for (const Written& written : drawing.pictures) {
    json["pictures"].push_back({{"path", written.path.generic_string()},
                                {"prompt", written.prompt},
                                {"seed", written.picture.seed},
                                {"width", written.picture.image.width},
                                {"height", written.picture.image.height},
                                {"parameters", written.picture.parameters}});
  }
  for (const pipeline::StageRecord& stage : drawing.stages) {
    json["stages"].push_back({{"name", stage.name},
                              {"seconds", stage.seconds},
                              {"peak_rss_bytes", stage.peak_rss_bytes}});
  }
  for (const std::filesystem::path& map : drawing.control_maps)
    json["control_maps"].push_back(map.generic_string());
  if (drawing.sheet) json["sheet"] = drawing.sheet->generic_string();
  return json;
}

}  // namespace sinter::cli
