#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/base/dtype.h"
#include "sinter/base/shape.h"
#include "sinter/weights/checkpoint.h"

namespace sinter::arch_test {

struct ManifestTensor {
  std::string name;
  std::string dtype;  // as safetensors writes it
  Shape shape;
};

/// A checkpoint without bytes: names and shapes, which can be changed before it is written.
struct Manifest {
  std::vector<ManifestTensor> tensors;
  std::int64_t parameters = 0;
  std::map<std::string, std::string> metadata;

  void add(std::string name, Shape shape, std::string dtype = "F32") {
    tensors.push_back({std::move(name), std::move(dtype), std::move(shape)});
  }
  ManifestTensor& at(std::string_view name) {
    for (ManifestTensor& tensor : tensors)
      if (tensor.name == name) return tensor;
    throw std::out_of_range(std::string(name));
  }
  void erase(std::string_view prefix) {
    std::erase_if(tensors, [&](const ManifestTensor& t) { return t.name.starts_with(prefix); });
  }
  void keep(std::string_view prefix) {
    std::erase_if(tensors, [&](const ManifestTensor& t) { return !t.name.starts_with(prefix); });
  }
  /// Replaces the beginning of names.
  void rename(std::string_view from, std::string_view to) {
    for (ManifestTensor& tensor : tensors)
      if (tensor.name.starts_with(from))
        tensor.name = std::string(to) + tensor.name.substr(from.size());
  }
};

/// A manifest of tests/data/manifests by its path without ".json".
inline Manifest load_manifest(const std::string& path) {
  std::ifstream file(std::string(SINTER_TEST_DATA) + "/manifests/" + path + ".json");
  const nlohmann::json json = nlohmann::json::parse(file);
  Manifest manifest;
  manifest.parameters = json.at("parameters");
  for (const auto& tensor : json.at("tensors"))
    manifest.add(tensor.at(0), tensor.at(2).get<Shape>(), tensor.at(1) == "int64" ? "I64" : "F32");
  return manifest;
}

/// A folder of the running test that is removed when the object goes.
class TestFolder {
 public:
  TestFolder() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(testing::TempDir()) /
            (std::string("sinter_arch_") + std::to_string(getpid()) + "_" + test->name());
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Writes a safetensors file whose data is a hole: gigabytes that take no space.
inline void write_manifest(const Manifest& manifest, const std::filesystem::path& path) {
  nlohmann::json header = nlohmann::json::object();
  std::uint64_t end = 0;
  for (const ManifestTensor& tensor : manifest.tensors) {
    const std::uint64_t begin = end;
    const std::uint64_t width = dtype_bytes(*dtype_from_name(tensor.dtype));
    end += width * static_cast<std::uint64_t>(element_count(tensor.shape));
    header[tensor.name] = {
        {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
  }
  if (!manifest.metadata.empty()) header["__metadata__"] = manifest.metadata;
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  const std::uint64_t length = text.size();
  {
    std::ofstream file(path, std::ios::binary);
    for (unsigned shift = 0; shift < 64; shift += 8)
      file.put(static_cast<char>((length >> shift) & 0xFF));
    file << text;
  }
  std::filesystem::resize_file(path, 8 + length + end);
}

/// A checkpoint on disk, for as long as the object lives.
class ManifestCheckpoint {
 public:
  explicit ManifestCheckpoint(const Manifest& manifest)
      : checkpoint_(open(manifest, folder_.path() / "model.safetensors")) {}
  explicit ManifestCheckpoint(const std::string& path) : ManifestCheckpoint(load_manifest(path)) {}

  const weights::Checkpoint& operator*() const { return checkpoint_; }

 private:
  static weights::Checkpoint open(const Manifest& manifest, const std::filesystem::path& path) {
    write_manifest(manifest, path);
    return weights::Checkpoint::open(path);
  }

  TestFolder folder_;
  weights::Checkpoint checkpoint_;
};

}  // namespace sinter::arch_test
