#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/base/dtype.h"
#include "sinter/base/shape.h"
#include "tests/cli/process.h"

namespace sinter::cli {

/// Runs the built program in a folder of its own, with a cache of its own.
class CommandTest : public testing::Test {
 protected:
  CommandTest();
  ~CommandTest() override;

  /// The test's folder, empty at its start; relative arguments are looked for here.
  const std::filesystem::path& folder() const { return folder_; }

  /// `sinter` with these words, not yet run.
  Invocation command(std::vector<std::string> arguments) const;

  Ended sinter(std::vector<std::string> arguments) const {
    return run(command(std::move(arguments)));
  }

  /// The result of a command with --json added, which has to end with that status.
  nlohmann::json json(std::vector<std::string> arguments, int status = 0) const;

  /// Writes the stand-in checkpoint of tests/data/manifests/tiny/NAME.json as NAME.safetensors;
  /// returns that file's name.
  std::string stand_in(const std::string& name) const;

  /// The same, converted in float32 into OUT.
  void converted(const std::string& name, const std::string& out,
                 std::vector<std::string> more = {}) const;

  /// A file of small tensors, all zeros, under the keys given.
  struct Key {
    std::string name;
    Shape shape;
  };
  void write_keys(const std::string& file, const std::vector<Key>& keys) const;

  /// Names of everything directly in the folder, hidden names too, sorted.
  std::vector<std::string> entries() const;

 private:
  std::filesystem::path folder_;
};

/// The command ended with an error: that status, those words, nothing on standard output.
void expect_error(const Ended& ended, int status, std::string_view words);

/// Every key of the JSON is in the table of the command's section in docs/cli.md, and every key
/// that the table calls always there is there. Lists of the JSON should not be empty.
void expect_documented(std::string_view command, const nlohmann::json& json);

}  // namespace sinter::cli
