#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "sinter/base/tensor.h"
#include "sinter/weights/checkpoint.h"

namespace sinter::pipeline {

/// A safetensors file of float32 arrays.
struct ReferenceFile {
  std::map<std::string, Tensor> arrays;
  std::map<std::string, std::string> metadata;
};

inline ReferenceFile read_reference(const std::filesystem::path& path) {
  const weights::Checkpoint file = weights::Checkpoint::open(path);
  ReferenceFile result{.arrays = {}, .metadata = file.metadata()};
  for (const weights::TensorEntry& entry : file.tensors()) {
    Tensor tensor(entry.dtype, entry.shape);
    std::ranges::copy(file.bytes(entry), tensor.bytes().begin());
    result.arrays.emplace(entry.name, std::move(tensor));
  }
  return result;
}

}  // namespace sinter::pipeline
