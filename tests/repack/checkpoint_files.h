#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/repack/repack.h"
#include "sinter/weights/checkpoint.h"
#include "sinter/weights/computed_tensor.h"
#include "tools/synth/synth.h"

namespace sinter::repack_test {
namespace fs = std::filesystem;

/// A folder of its own for every test, with checkpoints to repack.
class RepackTest : public testing::Test {
 protected:
  using RepackReport = repack::RepackReport;

  void SetUp() override {
    const testing::TestInfo* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) /
              ("sinter-repack-" + std::to_string(getpid()) + "-" + info->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// The stand-in of a manifest of tests/data/manifests.
  fs::path stand_in(const std::string& manifest, const std::string& prefix = {}) const {
    const fs::path file = folder_ / (fs::path(manifest).filename().string() + ".safetensors");
    synth::write_stand_in(std::string(SINTER_TEST_DATA) + "/manifests/" + manifest + ".json", file,
                          {.prefix = prefix});
    return file;
  }

  /// A copy of a checkpoint with other tensors, metadata and names.
  struct Change {
    std::vector<weights::ComputedTensor> more = {};
    std::map<std::string, std::string> metadata = {};
    std::string without = {};  // names with this are left out
  };
  fs::path changed(const fs::path& source, const std::string& name, const Change& change) const {
    const weights::Checkpoint checkpoint = weights::Checkpoint::open(source);
    std::vector<weights::ComputedTensor> tensors = change.more;
    for (const weights::TensorEntry& tensor : checkpoint.tensors()) {
      if (!change.without.empty() && tensor.name.find(change.without) != std::string::npos)
        continue;
      tensors.push_back({tensor.name, tensor.dtype, tensor.shape,
                         [&](const weights::ByteSink& sink) { sink(checkpoint.bytes(tensor)); }});
    }
    weights::write_safetensors(folder_ / name, tensors, change.metadata);
    return folder_ / name;
  }

  static weights::ComputedTensor floats(const std::string& name, std::vector<float> values) {
    const auto count = static_cast<std::int64_t>(values.size());
    return {name, DType::kF32, {count}, [values](const weights::ByteSink& sink) {
              sink(std::as_bytes(std::span(values)));
            }};
  }

  RepackReport run(const fs::path& in, const std::string& out,
                   const repack::RepackOptions& options = {}) const {
    return repack::repack(in, folder_ / out, options);
  }

  /// The full text of a refusal, without the folder's own path.
  std::string refusal(const fs::path& in, const std::string& out,
                      const repack::RepackOptions& options = {}) const {
    try {
      run(in, out, options);
    } catch (const Error& error) {
      std::string text = error.what();
      for (std::size_t at; (at = text.find(folder_.string() + "/")) != std::string::npos;)
        text.erase(at, folder_.string().size() + 1);
      return text;
    }
    return "accepted";
  }

  fs::path folder_;
};

/// Names of the tensors of `a` that `b` lacks or has otherwise, to the byte.
inline std::vector<std::string> differences(const weights::Checkpoint& a,
                                            const weights::Checkpoint& b) {
  std::vector<std::string> names;
  for (const weights::TensorEntry& tensor : a.tensors()) {
    const weights::TensorEntry* other = b.find(tensor.name);
    if (other == nullptr || other->dtype != tensor.dtype || other->shape != tensor.shape ||
        !std::ranges::equal(a.bytes(tensor), b.bytes(*other)))
      names.push_back(tensor.name);
  }
  return names;
}

}  // namespace sinter::repack_test
