#include "sinter/weights/zip_listing.h"

#include <cstdint>

namespace sinter::weights {
namespace {

constexpr std::size_t kMostEntries = 16;
constexpr std::size_t kHeaderBytes = 30;
constexpr std::uint32_t kSignature = 0x04034b50;
constexpr std::uint32_t kSizesFollowData = 1u << 3;  // general purpose flag
constexpr std::uint32_t kSizeIsZip64 = 0xffffffff;

std::uint32_t number(std::span<const std::byte> bytes, std::size_t at, std::size_t width) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    value |= std::to_integer<std::uint32_t>(bytes[at + i]) << (8 * i);
  }
  return value;
}

}  // namespace

std::vector<std::string> list_zip(std::span<const std::byte> file) {
  std::vector<std::string> names;
  while (names.size() < kMostEntries && file.size() >= kHeaderBytes &&
         number(file, 0, 4) == kSignature) {
    const std::uint32_t flags = number(file, 6, 2);
    const std::uint32_t packed_bytes = number(file, 18, 4);
    const std::size_t name_bytes = number(file, 26, 2);
    const std::size_t extra_bytes = number(file, 28, 2);
    if (file.size() - kHeaderBytes < name_bytes) break;
    names.emplace_back(
        static_cast<const char*>(static_cast<const void*>(file.data() + kHeaderBytes)), name_bytes);
    const std::uint64_t entry = kHeaderBytes + name_bytes + extra_bytes + packed_bytes;
    if ((flags & kSizesFollowData) != 0 || packed_bytes == kSizeIsZip64 || entry > file.size()) {
      break;
    }
    file = file.subspan(entry);
  }
  return names;
}

}  // namespace sinter::weights
