#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "sinter/base/file.h"
#include "sinter/base/tensor.h"

namespace sinter::pipeline {

/// A safetensors file of float32 arrays, which the tests trust.
struct ReferenceFile {
  std::map<std::string, Tensor> arrays;
  std::map<std::string, std::string> metadata;
};

inline ReferenceFile read_reference(const std::filesystem::path& path) {
  const std::string bytes = read_text(path);
  std::uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, bytes.data(), sizeof header_bytes);
  const auto header = nlohmann::json::parse(bytes.substr(8, header_bytes));
  ReferenceFile result;
  for (const auto& [name, value] : header.items()) {
    if (name == "__metadata__") {
      result.metadata = value.get<std::map<std::string, std::string>>();
      continue;
    }
    Tensor tensor(DType::kF32, value["shape"].get<Shape>());
    std::memcpy(tensor.bytes().data(),
                bytes.data() + 8 + header_bytes + value["data_offsets"][0].get<std::size_t>(),
                tensor.bytes().size());
    result.arrays.emplace(name, std::move(tensor));
  }
  return result;
}

}  // namespace sinter::pipeline
