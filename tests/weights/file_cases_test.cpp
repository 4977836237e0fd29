// Every entry of expected.json in tests/data/weights, in ../shared/cases where that exists, and in
// the folders of SINTER_CASES (separated by ':'), each laid out as DIR/files/expected.json.

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/weights/checkpoint.h"
#include "sinter/weights/file_report.h"

namespace sinter::weights {
namespace {
namespace fs = std::filesystem;

struct FileCase {
  std::string label;  // unique, of letters and digits
  fs::path path;
  nlohmann::json expected;
};

void PrintTo(const FileCase& file, std::ostream* out) { *out << file.path.string(); }

std::vector<fs::path> folders() {
  std::vector<fs::path> found{fs::path(SINTER_TEST_DATA) / "weights"};
  const fs::path shared = fs::path(SINTER_SOURCE_DIR) / "../shared/cases";
  if (fs::exists(shared / "files/expected.json")) found.push_back(shared);
  if (const char* more = std::getenv("SINTER_CASES")) {
    std::stringstream list(more);
    for (std::string folder; std::getline(list, folder, ':');) {
      if (!folder.empty()) found.emplace_back(folder);
    }
  }
  return found;
}

std::vector<FileCase> all_cases() {
  std::vector<FileCase> cases;
  std::size_t number = 0;
  for (const fs::path& folder : folders()) {
    const fs::path list = folder / "files/expected.json";
    const nlohmann::json json = nlohmann::json::parse(read_text(list));
    for (const auto& [name, expected] : json.at("files").items()) {
      std::string label = "folder" + std::to_string(number) + "_";
      for (const char c : name) {
        label += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
      }
      cases.push_back({label, folder / "files" / name, expected});
    }
    ++number;
  }
  return cases;
}

/// The value of `key` and the other right answers under `also_key`.
std::set<std::string> answers(const nlohmann::json& expected, const char* key,
                              const char* also_key) {
  std::set<std::string> right{expected.at(key).get<std::string>()};
  if (!expected.contains(also_key) || expected.at(also_key).is_null()) return right;
  const nlohmann::json& also = expected.at(also_key);
  if (also.is_string()) right.insert(also.get<std::string>());
  if (also.is_array()) right.insert(also.begin(), also.end());
  return right;
}

bool is_pickle(const nlohmann::json& expected) {
  const std::set<std::string> pickles{"torch-zip", "torch-legacy", "pickle"};
  return pickles.contains(expected.at("format").get<std::string>());
}

/// Warnings that need the network's architecture are another module's.
bool is_ours(const std::string& warning) {
  const std::set<std::string> ours{"wrong extension", "no tensors", "unknown classes",
                                   "numpy scalars", "numpy array"};
  return ours.contains(warning) || warning.starts_with("not finite");
}

std::set<std::string> words(const nlohmann::json& expected, const char* key) {
  const auto list = expected.value(key, std::vector<std::string>{});
  return {list.begin(), list.end()};
}

/// What only pickles say.
void expect_pickle(const PickleReport& pickle, const nlohmann::json& expected) {
  if (expected.contains("devices") || expected.at("verdict") == "ok") {
    EXPECT_EQ(std::set<std::string>(pickle.devices.begin(), pickle.devices.end()),
              words(expected, "devices"));
  }
  if (expected.contains("globals")) {
    EXPECT_EQ(std::set<std::string>(pickle.globals.begin(), pickle.globals.end()),
              words(expected, "globals"));
  }
  if (expected.at("verdict") == "dangerous") {
    EXPECT_FALSE(pickle.dangerous.empty());
    for (const PickleReport::Use& use : pickle.dangerous)
      EXPECT_TRUE(words(expected, "globals").contains(use.global)) << use.global;
  }
}

/// Some list tensors beside the model's, which may be counted or not.
void expect_tensors(const FileReport& report, const nlohmann::json& expected) {
  const std::size_t tensors = expected.at("tensors");
  const std::size_t elsewhere = expected.value("tensors_elsewhere", std::size_t{0});
  EXPECT_TRUE(report.tensors == tensors || report.tensors == tensors + elsewhere)
      << report.tensors.value_or(0) << ", expected " << tensors;
  if (report.tensors == tensors) {
    EXPECT_EQ(nlohmann::json(report.dtypes), expected.at("dtypes"));
  }
  EXPECT_EQ(report.pickle ? report.pickle->tensors_elsewhere : 0, elsewhere);
}

/// The first numbers of tensors, as another program read them.
void expect_values(const Checkpoint& checkpoint, const nlohmann::json& expected) {
  if (!expected.contains("values")) return;
  for (const auto& [name, numbers] : expected.at("values").items()) {
    const TensorEntry* entry = checkpoint.find(name);
    ASSERT_NE(entry, nullptr) << name;
    ASSERT_EQ(entry->dtype, DType::kF32) << name;
    std::vector<float> values(entry->bytes / sizeof(float));
    if (entry->bytes != 0)
      std::memcpy(values.data(), checkpoint.bytes(*entry).data(), entry->bytes);
    ASSERT_GE(values.size(), numbers.size()) << name;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      EXPECT_EQ(values[i], numbers[i].get<float>()) << name << '[' << i << ']';
  }
}

class FileCases : public testing::TestWithParam<FileCase> {};

TEST_P(FileCases, AreReportedAsExpected) {
  const nlohmann::json& expected = GetParam().expected;
  const FileReport report = examine(GetParam().path);
  EXPECT_TRUE(
      answers(expected, "format", "also_format").contains(std::string(format_name(report.format))))
      << format_name(report.format) << ": " << report.reason;
  EXPECT_EQ(report.bytes, expected.at("bytes").get<std::uint64_t>());
  EXPECT_TRUE(
      answers(expected, "verdict", "also").contains(std::string(verdict_name(report.verdict))))
      << verdict_name(report.verdict) << ": " << report.reason;
  const bool readable = report.verdict == Verdict::kOk;
  if (readable && !expected.at("tensors").is_null()) {
    expect_tensors(report, expected);
  } else if (!readable) {
    EXPECT_EQ(report.tensors, std::nullopt);
  }
  if (is_pickle(expected) && report.pickle) expect_pickle(*report.pickle, expected);
  std::set<std::string> warnings;
  for (const std::string& warning : expected.value("warnings", std::vector<std::string>{})) {
    if (is_ours(warning)) warnings.insert(warning);
  }
  EXPECT_EQ(std::set<std::string>(report.warnings.begin(), report.warnings.end()), warnings);
}

TEST_P(FileCases, OpenOrAreRefused) {
  const nlohmann::json& expected = GetParam().expected;
  const std::string verdict = expected.at("verdict").get<std::string>();
  if (verdict == "ok") {
    const Checkpoint checkpoint = Checkpoint::open(GetParam().path);
    EXPECT_GE(checkpoint.tensors().size(), expected.at("tensors").get<std::size_t>());
    for (const TensorEntry& tensor : checkpoint.tensors())
      EXPECT_EQ(checkpoint.bytes(tensor).size(), tensor.bytes) << tensor.name;
    expect_values(checkpoint, expected);
    return;
  }
  try {
    Checkpoint::open(GetParam().path);
    EXPECT_TRUE(answers(expected, "verdict", "also").contains("ok")) << "it was accepted";
  } catch (const Error& error) {
    EXPECT_FALSE(error.message().empty());
    EXPECT_TRUE(is_pickle(expected) ||
                (error.code() == ErrorCode::kUnsupported) == (expected.at("format") == "gguf"))
        << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Expected, FileCases, testing::ValuesIn(all_cases()),
                         [](const auto& parameter) { return parameter.param.label; });

}  // namespace
}  // namespace sinter::weights
