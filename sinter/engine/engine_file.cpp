#include "sinter/engine/engine_file.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <string_view>

#include "sinter/base/error.h"

namespace sinter::engine {
namespace {

constexpr std::size_t kSerializationAt = 4;
constexpr std::size_t kFileBytesAt = 0x10;
constexpr std::size_t kVersionAt = 24;  // four bytes; trtexec's --getPlanVersionOnly reads them too
constexpr std::size_t kArchitecturesAt = 0x20;
constexpr std::size_t kWeightsBytesAt = 0x38;
constexpr std::size_t kLeastBytes = kVersionAt + 4;

/// The first four bytes of an engine.
constexpr std::string_view kRtxTag = "vtrt";
constexpr std::string_view kClassicTag = "ftrt";

/// The bits of TensorRT-RTX's set of architectures, the lowest first. (Found by building for each.)
constexpr std::array kArchitectureBits{
    plan::ComputeCapability{7, 5}, plan::ComputeCapability{8, 0},  plan::ComputeCapability{8, 6},
    plan::ComputeCapability{8, 9}, plan::ComputeCapability{12, 0}, plan::ComputeCapability{12, 1}};

/// What a build that names no architecture has there: all of these and one that has no name yet.
constexpr std::uint32_t kEvery = 0x7e;

template <typename Number>
Number number_at(std::span<const std::byte> bytes, std::size_t at) {
  Number number = 0;  // little-endian, as every machine that engines run on
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

Version version_at(std::span<const std::byte> bytes) {
  const auto part = [&](std::size_t i) { return std::to_integer<int>(bytes[kVersionAt + i]); };
  return {part(0), part(1), part(2), part(3)};
}

void read_rtx_fields(std::span<const std::byte> bytes, std::uint64_t file_bytes,
                     EngineHeader& header) {
  if (bytes.size() < kEngineHeaderBytes) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("the engine ends after {} bytes, within its header", bytes.size()));
  }
  header.file_bytes = number_at<std::uint64_t>(bytes, kFileBytesAt);
  if (*header.file_bytes != file_bytes) {
    throw Error(
        ErrorCode::kBadFile,
        fmt::format("the engine has {} bytes, its header says {}", file_bytes, *header.file_bytes),
        "it is cut off or damaged: copy or build it again");
  }
  header.weights_bytes = number_at<std::uint64_t>(bytes, kWeightsBytesAt);
  const auto set = number_at<std::uint32_t>(bytes, kArchitecturesAt);
  header.every_architecture = set == kEvery;
  for (std::size_t i = 0; i < kArchitectureBits.size(); ++i)
    if ((set >> i & 1) != 0) header.architectures.push_back(kArchitectureBits[i]);
}

}  // namespace

EngineHeader read_engine_header(std::span<const std::byte> beginning, std::uint64_t file_bytes) {
  const std::string_view tag(reinterpret_cast<const char*>(beginning.data()),
                             beginning.size() < 4 ? 0 : 4);
  if (tag != kRtxTag && tag != kClassicTag)
    throw Error(ErrorCode::kBadFile,
                "no engine: it begins neither as TensorRT's nor TensorRT-RTX's");
  if (beginning.size() < kLeastBytes) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("the engine ends after {} bytes, within its header", beginning.size()));
  }
  const auto serialization = number_at<std::uint32_t>(beginning, kSerializationAt);
  if (serialization != 0) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("the engine has serialization {}, only 0 is known", serialization));
  }
  EngineHeader header;
  header.flavour = tag == kRtxTag ? Flavour::kTensorRtRtx : Flavour::kTensorRt;
  header.version = version_at(beginning);
  if (header.flavour == Flavour::kTensorRtRtx) read_rtx_fields(beginning, file_bytes, header);
  return header;
}

}  // namespace sinter::engine
