#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/base/dtype.h"
#include "sinter/base/shape.h"

namespace sinter::weights {

/// The longest header that the format allows, in bytes. A forged length must not allocate more.
inline constexpr std::uint64_t kMaxSafetensorsHeader = 100'000'000;

/// One tensor of a safetensors file, checked: its range has just the bytes that its type and shape
/// need.
struct SafetensorsTensor {
  std::string name;
  std::string_view dtype_name;  // as the file spells it; static storage
  std::optional<DType> dtype;   // empty for types that the format has and sinter does not read
  Shape shape;
  std::uint64_t begin = 0;  // bytes from the start of the file
  std::uint64_t bytes = 0;
};

/// What a safetensors header says.
struct SafetensorsHeader {
  std::vector<SafetensorsTensor> tensors;  // in the order of the data
  std::map<std::string, std::string> metadata;
  std::uint64_t header_bytes = 0;  // the length field included: where the data begins
  std::uint64_t file_bytes = 0;    // how long the file has to be
};

/// Reads the header from the start of a safetensors file and checks all that it says about itself:
/// length, JSON, types, shapes, and that the tensors cover the data without overlap or hole.
///
/// file: the whole file; only the header is touched.
/// @throws Error{kBadFile} naming the byte offset, the expected and the found.
/// Source: the format's description and the reference reader, github.com/huggingface/safetensors.
SafetensorsHeader read_safetensors_header(std::span<const std::byte> file);

/// Compares the length of the file with what its header needs.
/// @throws Error{kBadFile} with the number of bytes missing at the end, or too many.
void check_safetensors_length(const SafetensorsHeader& header, std::uint64_t file_bytes);

}  // namespace sinter::weights
