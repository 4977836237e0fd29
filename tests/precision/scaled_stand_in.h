#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sinter/base/dtype.h"
#include "sinter/weights/checkpoint.h"

namespace sinter::precision {

/// Multiplies the elements of a float32 tensor in a safetensors file.
inline void scale_tensor(const std::filesystem::path& file, const std::string& tensor,
                         float factor) {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  {
    const weights::Checkpoint checkpoint = weights::Checkpoint::open(file);
    const weights::TensorEntry& entry = *checkpoint.find(tensor);
    begin = entry.begin;
    bytes = entry.bytes;
  }
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  std::vector<float> values(bytes / sizeof(float));
  const auto size = static_cast<std::streamsize>(bytes);
  stream.seekg(static_cast<std::streamoff>(begin));
  stream.read(static_cast<char*>(static_cast<void*>(values.data())), size);
  for (float& value : values) value *= factor;
  stream.seekp(static_cast<std::streamoff>(begin));
  stream.write(static_cast<const char*>(static_cast<const void*>(values.data())), size);
}

}  // namespace sinter::precision
