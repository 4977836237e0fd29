#include "sinter/base/inflate.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "sinter/base/error.h"

namespace sinter {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10;

/// zlib's state, ended with its owner.
class Stream {
 public:
  Stream() {
    // Negative: no zlib header around the deflate stream.
    if (::inflateInit2(&stream_, -MAX_WBITS) != Z_OK)
      throw Error(ErrorCode::kInternal, "zlib cannot be started");
  }
  ~Stream() { ::inflateEnd(&stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  z_stream& operator*() { return stream_; }

 private:
  z_stream stream_{};
};

}  // namespace

std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t before) {
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(::crc32_z(before, data, bytes.size()));
}

void inflate(std::span<const std::byte> packed, std::uint64_t bytes, const ByteSink& sink) {
  Stream owner;
  z_stream& stream = *owner;
  std::vector<std::byte> piece(kPiece);
  std::uint64_t done = 0;
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    if (stream.avail_in == 0) {
      const std::size_t take =
          std::min<std::size_t>(packed.size(), std::numeric_limits<uInt>::max());
      // zlib reads through a pointer that its interface leaves mutable.
      stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data()));
      stream.avail_in = static_cast<uInt>(take);
      packed = packed.subspan(take);
    }
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    status = ::inflate(&stream, Z_NO_FLUSH);
    const std::size_t found = piece.size() - stream.avail_out;
    if (status != Z_OK && status != Z_STREAM_END)
      throw Error(ErrorCode::kBadFile,
                  fmt::format("its compressed data is damaged after {} bytes", done + found));
    if (found > bytes - done)
      throw Error(ErrorCode::kBadFile,
                  fmt::format("its compressed data gives more than the {} bytes it should", bytes));
    done += found;
    if (found != 0) sink(std::span(piece).first(found));
  }
  if (done != bytes)
    throw Error(ErrorCode::kBadFile,
                fmt::format("its compressed data gives {} bytes, expected {}", done, bytes));
}

}  // namespace sinter
