#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace sinter::diagnose {

/// tests/data/diagnose, every DIR in SINTER_CASES (separated by ':'), and without that variable
/// ../shared/cases where it exists.
std::vector<std::filesystem::path> case_roots();

/// A folder of cases: DIR/<kind> with an expected.json.
struct CaseFolder {
  std::filesystem::path path;
  nlohmann::json expected;
};

/// The folders of that kind ("memlog", "images") in the roots.
std::vector<CaseFolder> case_folders(const std::string& kind);

}  // namespace sinter::diagnose
