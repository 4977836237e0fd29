#include "tests/cli/command_test.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "sinter/base/file.h"
#include "sinter/weights/safetensors_writer.h"
#include "tests/cli/manual.h"
#include "tools/synth/synth.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

/// Whether the manual has keys of the elements of this list.
bool lists_objects(const std::string& path, const std::vector<ManualKey>& manual) {
  return std::ranges::any_of(
      manual, [&](const ManualKey& key) { return key.name.starts_with(path + "[]."); });
}

/// "graphs[].folder" for every value in the JSON; keys below one that ends in ".*" in the manual
/// are any.
void collect(const nlohmann::json& json, const std::string& path,
             const std::vector<ManualKey>& manual, std::set<std::string>& found) {
  const auto any = std::ranges::find(manual, path + ".*", &ManualKey::name);
  if (any != manual.end()) {
    found.insert(any->name);
    if (!json.is_object()) return;
    for (const auto& [key, value] : json.items())  // those that are listed beside it
      if (std::ranges::find(manual, path + "." + key, &ManualKey::name) != manual.end())
        found.insert(path + "." + key);
  } else if (json.is_object()) {
    for (const auto& [key, value] : json.items())
      collect(value, path.empty() ? key : path + "." + key, manual, found);
  } else if (json.is_array() && !json.empty() && json.front().is_object()) {
    for (const nlohmann::json& element : json) collect(element, path + "[]", manual, found);
  } else if (!json.is_array() || !json.empty() || !lists_objects(path, manual)) {
    found.insert(path);
  }
}

}  // namespace

CommandTest::CommandTest() {
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  // The build's disk: hard links work within it, and it is not a memory of its own.
  folder_ =
      fs::path(SINTER_TEST_SCRATCH) / fmt::format("{}.{}", test->test_suite_name(), test->name());
  fs::remove_all(folder_);
  fs::create_directories(folder_);
}

CommandTest::~CommandTest() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

Invocation CommandTest::command(std::vector<std::string> arguments) const {
  return {.program = SINTER_PROGRAM,
          .arguments = std::move(arguments),
          .directory = folder_,
          .environment = {{"XDG_CACHE_HOME", (folder_ / "cache").string()}}};
}

nlohmann::json CommandTest::json(std::vector<std::string> arguments, int status) const {
  arguments.emplace_back("--json");
  const Ended ended = sinter(arguments);
  EXPECT_EQ(ended.status, status) << ended.err;
  nlohmann::json result = nlohmann::json::parse(ended.out, nullptr, false);
  EXPECT_FALSE(result.is_discarded()) << ended.out;
  return result;
}

std::string CommandTest::stand_in(const std::string& name) const {
  const std::string file = name + ".safetensors";
  synth::write_stand_in(fs::path(SINTER_TEST_DATA) / "manifests/tiny" / (name + ".json"),
                        folder_ / file,
                        {.dtype = DType::kF16, .prefix = {}, .threads = 1, .progress = {}});
  return file;
}

void CommandTest::converted(const std::string& name, const std::string& out,
                            std::vector<std::string> more) const {
  std::vector<std::string> words{"convert", stand_in(name), out, "--precision", "fp32"};
  words.insert(words.end(), more.begin(), more.end());
  const Ended ended = sinter(words);
  ASSERT_EQ(ended.status, 0) << ended.err;
}

void CommandTest::write_keys(const std::string& file, const std::vector<Key>& keys) const {
  std::vector<weights::PlannedTensor> plan;
  for (const Key& key : keys) plan.push_back({key.name, DType::kF32, key.shape});
  weights::SafetensorsWriter writer(folder_ / file, plan);
  for (const Key& key : keys) {
    const auto count = static_cast<std::size_t>(element_count(key.shape));
    writer.write(std::vector<std::byte>(count * dtype_bytes(DType::kF32)));
  }
  writer.commit();
}

std::vector<std::string> CommandTest::entries() const {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

void expect_error(const Ended& ended, int status, std::string_view words) {
  EXPECT_EQ(ended.status, status);
  EXPECT_EQ(ended.err, words);
  EXPECT_EQ(ended.out, "");
}

void expect_documented(std::string_view command, const nlohmann::json& json) {
  const std::vector<ManualKey> manual = manual_keys(command);
  std::set<std::string> found;
  collect(json, "", manual, found);
  for (const std::string& name : found) {
    EXPECT_NE(std::ranges::find(manual, name, &ManualKey::name), manual.end())
        << "docs/cli.md does not list the key '" << name << "' of " << command;
  }
  for (const ManualKey& key : manual) {
    EXPECT_TRUE(!key.always || found.contains(key.name))
        << command << " --json has no '" << key.name << "', which docs/cli.md calls always there";
  }
}

}  // namespace sinter::cli
