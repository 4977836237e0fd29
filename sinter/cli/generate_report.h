#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sinter/pipeline/pipeline.h"

namespace sinter::cli {

/// A picture that has been written.
struct Written {
  std::filesystem::path path;
  std::string prompt;
  pipeline::Picture picture;
};

/// What `generate` did.
struct Drawing {
  std::vector<Written> pictures;
  std::vector<pipeline::StageRecord> stages;
  std::vector<std::filesystem::path> control_maps;
  std::optional<std::filesystem::path> sheet;
};

/// Prints the files' names and, with `profile`, a line for each stage.
void print_text(const Drawing& drawing, bool profile);

nlohmann::ordered_json to_json(const Drawing& drawing);

}  // namespace sinter::cli
