#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinter {

/// A file in a zip archive, as the central directory has it.
struct ZipRecord {
  std::string name;  // any bytes
  bool deflated;
  std::uint32_t crc;           // of the unpacked bytes; 0 also where the writer left it out
  std::uint64_t packed_bytes;  // in the archive
  std::uint64_t bytes;         // unpacked
  std::uint64_t begin;         // of the packed bytes, from the start of the archive
};

/// What a zip archive consists of.
struct ZipDirectory {
  std::vector<ZipRecord> records;  // sorted by name, folders left out
  std::uint64_t begin = 0;         // the directory runs from here to the end of the file

  /// The record of that name, or null.
  const ZipRecord* find(std::string_view name) const;
};

/// Reads the directory at the end of a zip archive (zip64 too) and checks it against the header in
/// front of each record: every record lies before the directory, and no name stands twice.
///
/// Linear in the directory's length. Touches the directory and one page a record.
/// @throws Error{kBadFile} with what is wrong; Error{kUnsupported} for encryption and compression
///         other than deflate.
/// Source: PKWARE APPNOTE 6.3.10, sections 4.3 to 4.5.
ZipDirectory read_zip_directory(std::span<const std::byte> file);

}  // namespace sinter
