#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "sinter/base/file.h"
#include "tests/cli/command_test.h"

namespace sinter::cli {

/// Draws with the built program.
class Generate : public CommandTest {
 protected:
  /// A small, quick drawing with these words added.
  Ended draw(const std::string& model, std::vector<std::string> more) const {
    return sinter(words(model, std::move(more)));
  }
  static std::vector<std::string> words(const std::string& model, std::vector<std::string> more) {
    std::vector<std::string> all{"generate", model,     "-W", "64",       "-H",
                                 "64",       "--steps", "2",  "--engine", "onnxruntime"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::string bytes(const std::filesystem::path& file) const { return read_text(folder() / file); }
};

}  // namespace sinter::cli
