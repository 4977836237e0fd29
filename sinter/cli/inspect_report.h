#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "sinter/adapters/summary.h"
#include "sinter/arch/identity.h"
#include "sinter/arch/model.h"
#include "sinter/weights/converted_folder.h"
#include "sinter/weights/file_report.h"

namespace sinter::cli {

/// Everything that is known of a file or folder; what does not apply is empty.
struct Findings {
  std::string path;  // as given
  weights::FileReport file;
  std::optional<arch::Identity> identity;
  std::optional<arch::Model> model;  // its components' entries are gone with the checkpoint; names
                                     // and counts stay
  std::optional<adapters::AdapterSummary> adapter;
  std::optional<weights::ConvertedFolder> converted;
  std::string sha256;
};

nlohmann::ordered_json inspect_json(const Findings& findings);

/// The report for people, printable line by line whatever the file says of itself.
std::string inspect_text(const Findings& findings);

}  // namespace sinter::cli
