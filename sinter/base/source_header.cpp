#include "sinter/base/source_header.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "sinter/base/error.h"
#include "sinter/base/hash.h"
#include "sinter/base/zip_directory.h"

namespace sinter {
namespace {

using Bytes = std::span<const std::byte>;

std::string_view text_of(Bytes bytes) {
  return {static_cast<const char*>(static_cast<const void*>(bytes.data())), bytes.size()};
}

// The leading bytes that a safetensors file says to be its header; empty for any other file.
// Source: the safetensors format: 8 bytes of length, little-endian, then JSON.
Bytes safetensors_header(Bytes file) {
  constexpr std::size_t kLengthField = 8;
  if (file.size() <= kLengthField || file[kLengthField] != std::byte{'{'}) return {};
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < kLengthField; ++i) {
    length |= std::to_integer<std::uint64_t>(file[i]) << (8 * i);
  }
  if (length > file.size() - kLengthField) return {};
  return file.first(kLengthField + static_cast<std::size_t>(length));
}

/// The program of a zip that torch.save wrote: "FOLDER/data.pkl" beside "FOLDER/data/0" or such.
const ZipRecord* torch_program(const ZipDirectory& directory) {
  constexpr std::string_view kName = "/data.pkl";
  for (const ZipRecord& record : directory.records) {
    if (!record.name.ends_with(kName)) continue;
    const std::string storages = record.name.substr(0, record.name.size() - 4) + "/";
    const auto first = std::ranges::lower_bound(directory.records, storages, {}, &ZipRecord::name);
    if (first != directory.records.end() && first->name.starts_with(storages)) return &record;
  }
  return nullptr;
}

std::optional<SourceHeader> zip_header(Bytes file) {
  try {
    const ZipDirectory directory = read_zip_directory(file);
    const ZipRecord* program = torch_program(directory);
    if (program == nullptr) return std::nullopt;
    Sha256 hash;
    hash.update(file.subspan(program->begin, program->packed_bytes));
    hash.update(file.subspan(directory.begin));
    return SourceHeader{program->packed_bytes + file.size() - directory.begin, hash.hex()};
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::size_t torch_stream_mark(std::span<const std::byte> file) {
  // 0x1950a86a20f9469cfc6c, by pickle's protocols 2 and 3, 4 and 5 (with a frame), 0 and 1.
  constexpr std::string_view kNumber = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
  constexpr std::string_view kFrame("\x95\x0d\0\0\0\0\0\0\0", 9);
  constexpr std::string_view kDigits = "L119547037146038801333356L\n.";
  const std::string_view text = text_of(file);
  if (text.starts_with(kDigits)) return kDigits.size();
  if (text.size() < 2 || text[0] != '\x80' || text[1] < 2 || text[1] > 5) return 0;
  std::size_t at = 2;
  if (text.substr(at).starts_with(kFrame)) at += kFrame.size();
  return text.substr(at).starts_with(kNumber) ? at + kNumber.size() : 0;
}

std::optional<SourceHeader> source_header(std::span<const std::byte> file,
                                          std::uint64_t stream_bytes) {
  if (const Bytes header = safetensors_header(file); !header.empty())
    return SourceHeader{header.size(), sha256_hex(header)};
  if (text_of(file).starts_with("PK")) return zip_header(file);
  if (torch_stream_mark(file) == 0 || stream_bytes > file.size()) return std::nullopt;
  return SourceHeader{stream_bytes, sha256_hex(file.first(stream_bytes))};
}

}  // namespace sinter
