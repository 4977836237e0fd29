#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace sinter::weights {

/// One tensor as a safetensors header states it; nothing is checked against the data yet.
struct StatedTensor {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0;  // data_offsets: bytes from the start of the data
  std::uint64_t end = 0;
};

/// The JSON of a safetensors header.
struct StatedHeader {
  std::vector<StatedTensor> tensors;  // in the header's order
  std::map<std::string, std::string> metadata;
};

/// Reads the JSON of a safetensors header: an object of {dtype, shape, data_offsets} objects and
/// one optional __metadata__ object of texts. Other fields of a tensor are passed over, as the
/// reference reader does.
///
/// json: the header's bytes; file_offset: where they begin in the file, for messages.
/// @throws Error{kBadFile} for text that is not UTF-8 or not JSON, for a key that stands twice, and
///         for any value of another kind than the format allows, with the byte offset in the file.
/// Source: the format's description, github.com/huggingface/safetensors.
StatedHeader parse_safetensors_json(std::span<const std::byte> json, std::uint64_t file_offset);

}  // namespace sinter::weights
