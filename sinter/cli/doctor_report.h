#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sinter/diagnose/environment/doctor.h"
#include "sinter/diagnose/environment/lock.h"

namespace sinter::cli {

/// What `sinter doctor` has to say.
struct DoctorReport {
  diagnose::environment::Snapshot snapshot;
  diagnose::environment::Diagnosis diagnosis;
  std::optional<diagnose::environment::Snapshot> before;  // of --against
  std::vector<diagnose::environment::Drift> drifts;
  std::string lock;  // the file that was written, or ""
};

nlohmann::ordered_json to_json(const DoctorReport& report, diagnose::Language language);

void print_text(const DoctorReport& report, diagnose::Language language);

}  // namespace sinter::cli
