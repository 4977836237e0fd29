#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sinter/base/tensor.h"
#include "tests/runtime/model_builder.h"

namespace sinter {

inline Tensor floats(Shape shape, const std::vector<float>& values) {
  return Tensor(std::move(shape), std::span<const float>(values));
}

inline Tensor filled(Shape shape, float value) {
  Tensor tensor(DType::kF32, std::move(shape));
  for (float& element : tensor.floats()) element = value;
  return tensor;
}

/// Writes a .safetensors file by hand: eight bytes of header length, JSON, data.
inline std::filesystem::path write_case(const std::filesystem::path& path,
                                        const std::map<std::string, Tensor>& tensors,
                                        const std::map<std::string, std::string>& metadata) {
  std::string header = "{\"__metadata__\":{";
  for (const auto& [key, value] : metadata) {
    if (header.back() != '{') header += ',';
    header += fmt::format("\"{}\":\"{}\"", key, value);
  }
  header += '}';
  std::string data;
  for (const auto& [name, tensor] : tensors) {
    header += fmt::format(",\"{}\":{{\"dtype\":\"{}\",\"shape\":{},\"data_offsets\":[{},{}]}}",
                          name, dtype_name(tensor.dtype()), to_string(tensor.shape()), data.size(),
                          data.size() + tensor.bytes().size());
    data += as_string(tensor.bytes());
  }
  header += '}';
  header.resize((header.size() + 7) / 8 * 8, ' ');
  std::string length;
  for (int i = 0; i < 8; ++i) length += static_cast<char>((header.size() >> (8 * i)) & 0xff);
  write_file(path, length + header + data);
  return path;
}

}  // namespace sinter
