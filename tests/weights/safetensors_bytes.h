#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::weights {

/// A safetensors file from its header's text and the number of data bytes (zeros). `length` lies
/// about the header's length where it is not negative.
inline std::vector<std::byte> safetensors_bytes(std::string_view json, std::size_t data_bytes,
                                                std::int64_t length = -1) {
  const std::uint64_t stated = length < 0 ? json.size() : static_cast<std::uint64_t>(length);
  std::vector<std::byte> file;
  for (int i = 0; i < 8; ++i) file.push_back(static_cast<std::byte>(stated >> (8 * i) & 0xff));
  for (const char c : json) file.push_back(static_cast<std::byte>(c));
  file.resize(file.size() + data_bytes);
  return file;
}

}  // namespace sinter::weights
