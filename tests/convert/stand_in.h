#pragma once

#include <filesystem>
#include <string>

#include "tools/synth/synth.h"

namespace sinter::convert {

/// A folder of its own for one test, removed at the end; in the build, so that two builds can be
/// tested at once.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& name,
                           const std::filesystem::path& parent = SINTER_TEST_SCRATCH)
      : path_(parent / ("sinter-" + name)) {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
    std::filesystem::create_directories(path_, ignored);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The narrow network of a manifest under tests/data/manifests ("tiny/sd1") as a file in the
/// folder.
inline std::filesystem::path stand_in(const std::filesystem::path& folder,
                                      const std::string& manifest, DType dtype = DType::kF16) {
  const std::filesystem::path path =
      folder / (std::filesystem::path(manifest).filename().string() + ".safetensors");
  synth::write_stand_in(
      std::filesystem::path(SINTER_TEST_DATA) / "manifests" / (manifest + ".json"), path,
      {.dtype = dtype, .prefix = {}, .threads = 1, .progress = {}});
  return path;
}

}  // namespace sinter::convert
