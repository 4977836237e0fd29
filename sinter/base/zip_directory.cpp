#include "sinter/base/zip_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "sinter/base/error.h"
#include "sinter/base/message.h"

namespace sinter {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint32_t kEntrySignature = 0x02014b50;
constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kEnd64Signature = 0x06064b50;
constexpr std::uint32_t kLocator64Signature = 0x07064b50;
constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kEntryBytes = 46;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kLocator64Bytes = 20;
constexpr std::size_t kLongestComment = 65535;
constexpr std::uint64_t kIn64 = 0xffffffff;  // the true number is in the zip64 field
constexpr std::uint64_t kEncrypted = 1;
constexpr std::uint64_t kDeflate = 8;
constexpr std::uint64_t kZip64Field = 1;

std::uint64_t number(Bytes bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i)
    value |= std::to_integer<std::uint64_t>(bytes[at + i]) << (8 * i);
  return value;
}

std::string text(Bytes bytes, std::size_t at, std::size_t length) {
  return {static_cast<const char*>(static_cast<const void*>(bytes.data() + at)), length};
}

[[noreturn]] void damaged(std::string message, std::string hint = {}) {
  throw Error(ErrorCode::kBadFile, std::move(message), std::move(hint));
}

/// Where the directory lies, and of how many records it is.
struct End {
  std::uint64_t begin;
  std::uint64_t bytes;
  std::uint64_t records;
  std::uint64_t disks;  // the numbers of disks that have to be 0, together
};

/// The end record stands before a comment of any length up to 64 KiB.
std::optional<std::size_t> find_end(Bytes file) {
  if (file.size() < kEndBytes) return std::nullopt;
  const std::size_t last = file.size() - kEndBytes;
  const std::size_t first = last - std::min(last, kLongestComment);
  for (std::size_t at = last + 1; at-- > first;) {
    if (file[at] == std::byte{'P'} && number(file, at, 4) == kEndSignature &&
        at + kEndBytes + number(file, at + 20, 2) <= file.size())
      return at;
  }
  return std::nullopt;
}

End read_end(Bytes file) {
  const std::optional<std::size_t> at = find_end(file);
  if (!at)
    damaged("the zip archive has no directory at its end",
            "it looks like a half download or a broken copy; fetch the file again");
  End end{.begin = number(file, *at + 16, 4),
          .bytes = number(file, *at + 12, 4),
          .records = number(file, *at + 10, 2),
          .disks = number(file, *at + 4, 2) | number(file, *at + 6, 2)};
  std::uint64_t limit = *at;
  if (*at >= kLocator64Bytes && number(file, *at - kLocator64Bytes, 4) == kLocator64Signature) {
    const std::uint64_t at64 = number(file, *at - kLocator64Bytes + 8, 8);
    if (at64 > *at - kLocator64Bytes || *at - kLocator64Bytes - at64 < kEnd64Bytes ||
        number(file, at64, 4) != kEnd64Signature)
      damaged(fmt::format("the zip64 end record should be at byte {}, and is not", at64));
    end = {.begin = number(file, at64 + 48, 8),
           .bytes = number(file, at64 + 40, 8),
           .records = number(file, at64 + 32, 8),
           .disks = number(file, at64 + 16, 4) | number(file, at64 + 20, 4)};
    limit = at64;
  }
  if (end.disks != 0) damaged("the zip archive is one of several volumes");
  if (end.begin > limit || end.bytes > limit - end.begin)
    damaged(
        fmt::format("the zip directory of {} bytes at byte {} reaches beyond its end record at "
                    "byte {}",
                    end.bytes, end.begin, limit));
  return end;
}

/// One entry of the directory.
struct Entry {
  ZipRecord record;
  std::uint64_t header;  // of the header before the data
  std::size_t bytes;     // of the entry itself
};

/// Takes the next 8 bytes of the zip64 field for a number that did not fit.
void widen(std::uint64_t& value, Bytes& field) {
  if (value != kIn64) return;
  if (field.size() < 8) damaged("a zip64 field is too short");
  value = number(field, 0, 8);
  field = field.subspan(8);
}

void widen(Entry& entry, Bytes extra) {
  while (extra.size() >= 4) {
    const std::size_t length = number(extra, 2, 2);
    if (length > extra.size() - 4) return;  // what other programs put there is not ours to judge
    if (number(extra, 0, 2) == kZip64Field) {
      Bytes field = extra.subspan(4, length);
      widen(entry.record.bytes, field);
      widen(entry.record.packed_bytes, field);
      widen(entry.header, field);
      return;
    }
    extra = extra.subspan(4 + length);
  }
}

Entry read_entry(Bytes directory) {
  if (directory.size() < kEntryBytes || number(directory, 0, 4) != kEntrySignature)
    damaged("the zip directory is cut or overwritten");
  const std::size_t name_bytes = number(directory, 28, 2);
  const std::size_t extra_bytes = number(directory, 30, 2);
  const std::size_t bytes = kEntryBytes + name_bytes + extra_bytes + number(directory, 32, 2);
  if (bytes > directory.size()) damaged("the zip directory is cut or overwritten");
  Entry entry{.record = {.name = text(directory, kEntryBytes, name_bytes),
                         .deflated = number(directory, 10, 2) == kDeflate,
                         .crc = static_cast<std::uint32_t>(number(directory, 16, 4)),
                         .packed_bytes = number(directory, 20, 4),
                         .bytes = number(directory, 24, 4),
                         .begin = 0},
              .header = number(directory, 42, 4),
              .bytes = bytes};
  widen(entry, directory.subspan(kEntryBytes + name_bytes, extra_bytes));
  const std::uint64_t method = number(directory, 10, 2);
  if (method != 0 && method != kDeflate)
    throw Error(ErrorCode::kUnsupported,
                fmt::format("'{}' in the zip archive is compressed by method {}, expected none or "
                            "deflate",
                            shown(entry.record.name), method));
  if ((number(directory, 8, 2) & kEncrypted) != 0)
    throw Error(ErrorCode::kUnsupported,
                fmt::format("'{}' in the zip archive is encrypted", shown(entry.record.name)));
  return entry;
}

/// Where the data lies: behind a header that repeats the name and has fields of its own.
void locate(Entry& entry, Bytes file, std::uint64_t directory) {
  ZipRecord& record = entry.record;
  const auto wrong = [&](std::string_view what) {
    damaged(fmt::format("the header of '{}' in the zip archive at byte {} {}", shown(record.name),
                        entry.header, what));
  };
  if (entry.header > directory || directory - entry.header < kLocalBytes)
    wrong("would be in the directory or behind it");
  if (number(file, entry.header, 4) != kLocalSignature) wrong("is not there");
  const std::uint64_t name_bytes = number(file, entry.header + 26, 2);
  const std::uint64_t extra_bytes = number(file, entry.header + 28, 2);
  const std::uint64_t room = directory - entry.header - kLocalBytes;
  if (name_bytes + extra_bytes > room || record.packed_bytes > room - name_bytes - extra_bytes)
    wrong(fmt::format("promises {} bytes, which reach into the directory", record.packed_bytes));
  // Readers differ in which of two names they believe.
  if (text(file, entry.header + kLocalBytes, name_bytes) != record.name) wrong("has another name");
  record.begin = entry.header + kLocalBytes + name_bytes + extra_bytes;
  if (!record.deflated && record.packed_bytes != record.bytes)
    wrong(
        fmt::format("is of {} stored bytes that should be {}", record.packed_bytes, record.bytes));
}

}  // namespace

const ZipRecord* ZipDirectory::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(records, name, {}, &ZipRecord::name);
  return found == records.end() || found->name != name ? nullptr : &*found;
}

ZipDirectory read_zip_directory(std::span<const std::byte> file) {
  const End end = read_end(file);
  ZipDirectory result{.records = {}, .begin = end.begin};
  Bytes directory = file.subspan(end.begin, end.bytes);
  for (std::uint64_t i = 0; i < end.records; ++i) {
    Entry entry = read_entry(directory);
    directory = directory.subspan(entry.bytes);
    locate(entry, file, end.begin);
    if (entry.record.name.ends_with('/') && entry.record.bytes == 0) continue;
    result.records.push_back(std::move(entry.record));
  }
  std::ranges::sort(result.records, {}, &ZipRecord::name);
  const auto twice = std::ranges::adjacent_find(result.records, {}, &ZipRecord::name);
  if (twice != result.records.end())
    damaged(fmt::format("'{}' is in the zip archive twice", shown(twice->name)));
  return result;
}

}  // namespace sinter
