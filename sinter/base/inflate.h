#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace sinter {

/// CRC-32 as zip and PNG use it. before: that of the bytes in front of these.
std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t before = 0);

/// Takes the next piece of a stream; the piece is valid during the call.
using ByteSink = std::function<void(std::span<const std::byte>)>;

/// Unpacks a raw deflate stream (RFC 1951) to `bytes` bytes and hands them on in pieces of at most
/// 64 KiB, so that memory stays bounded whatever the stream claims.
/// @throws Error{kBadFile} when the stream is damaged or has another length.
void inflate(std::span<const std::byte> packed, std::uint64_t bytes, const ByteSink& sink);

}  // namespace sinter
