#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace sinter {

/// The part of a weight file that says what is in it: its length, and its SHA-256.
struct SourceHeader {
  std::uint64_t bytes;
  std::string sha256;

  friend bool operator==(const SourceHeader&, const SourceHeader&) = default;
};

/// Of a safetensors file, the bytes before its data. Of a zip that torch.save wrote, the program
/// data.pkl as it is stored and the directory at the end, which has the checksum of every record.
/// Of the older stream, the first `stream_bytes`: all in front of its first storage. Nothing for
/// any other file, so that no other can be linked.
///
/// stream_bytes: of no meaning for the other formats.
std::optional<SourceHeader> source_header(std::span<const std::byte> file,
                                          std::uint64_t stream_bytes);

/// Length of the number that a torch stream begins with, or 0 for any other file.
std::size_t torch_stream_mark(std::span<const std::byte> file);

}  // namespace sinter
