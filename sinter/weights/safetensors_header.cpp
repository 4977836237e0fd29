#include "sinter/weights/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/base/message.h"
#include "sinter/weights/safetensors_json.h"

namespace sinter::weights {
namespace {

constexpr std::uint64_t kLengthField = 8;
constexpr const char* kHalfDownload =
    "it looks like a half download or a broken copy; fetch the file again";

/// Types of the format that base/dtype.h has not: a file with them is sound, though not for us.
struct ForeignType {
  std::string_view name;
  std::uint64_t bits;
};
constexpr std::array kForeignTypes{
    ForeignType{"F4", 4},      ForeignType{"F6_E2M3", 6},     ForeignType{"F6_E3M2", 6},
    ForeignType{"F8_E8M0", 8}, ForeignType{"F8_E4M3FNUZ", 8}, ForeignType{"F8_E5M2FNUZ", 8},
    ForeignType{"C64", 64},
};

[[noreturn]] void bad(std::string message, std::string hint = {}) {
  throw Error(ErrorCode::kBadFile, std::move(message), std::move(hint));
}

/// "1 byte is", "2 bytes are".
std::string are(std::uint64_t bytes) {
  return fmt::format("{} {}", counted(bytes, "byte"), bytes == 1 ? "is" : "are");
}

/// "1 byte belongs", "2 bytes belong".
std::string belong(std::uint64_t bytes) {
  return fmt::format("{} {}", counted(bytes, "byte"), bytes == 1 ? "belongs" : "belong");
}

std::uint64_t little_endian_64(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) {
    value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  }
  return value;
}

/// The length of the JSON, after every check that needs no JSON.
std::uint64_t json_length(std::span<const std::byte> file) {
  if (file.size() < kLengthField) {
    bad(fmt::format("the file has {}, expected at least 8 for the header's length",
                    counted(file.size(), "byte")));
  }
  const std::uint64_t length = little_endian_64(file);
  if (length > kMaxSafetensorsHeader) {
    bad(fmt::format("the header's length at byte 0 is {}, expected at most {}", length,
                    kMaxSafetensorsHeader),
        "it is not a safetensors file, or its first bytes are damaged");
  }
  if (length < 2) {
    bad(fmt::format("the header's length at byte 0 is {}, expected at least 2", length),
        "its first bytes are damaged");
  }
  const std::uint64_t behind = file.size() - kLengthField;
  if (length > behind) {
    bad(fmt::format("the header's length at byte 0 is {}, but only {} follow: {} missing", length,
                    counted(behind, "byte"), are(length - behind)),
        kHalfDownload);
  }
  if (file[kLengthField] != std::byte{'{'}) {
    bad(fmt::format("byte 8 is 0x{:02x}, expected '{{', the start of the header",
                    std::to_integer<unsigned>(file[kLengthField])));
  }
  return length;
}

struct TypeRow {
  std::string_view name;
  std::optional<DType> dtype;
  std::uint64_t bits;
};

TypeRow type_of(const StatedTensor& tensor) {
  if (const std::optional<DType> dtype = dtype_from_name(tensor.dtype)) {
    const DTypeInfo& info = dtype_info(*dtype);
    return {info.name, dtype, std::uint64_t{8} * info.bytes};
  }
  for (const ForeignType& type : kForeignTypes) {
    if (type.name == tensor.dtype) return {type.name, std::nullopt, type.bits};
  }
  bad(fmt::format("'{}' has the unknown element type '{}'", shown(tensor.name),
                  shown(tensor.dtype)));
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (const std::uint64_t extent : shape) {
    text += fmt::format("{}{}", text.empty() ? "" : ",", extent);
  }
  return fmt::format("[{}]", text);
}

/// Bytes that shape and type ask for.
std::uint64_t wanted_bytes(const StatedTensor& tensor, std::uint64_t bits_each) {
  std::uint64_t elements = 1;
  bool fits = true;
  for (const std::uint64_t extent : tensor.shape) {
    fits = fits && extent <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) &&
           !__builtin_mul_overflow(elements, extent, &elements);
  }
  std::uint64_t bits = 0;
  if (!fits || __builtin_mul_overflow(elements, bits_each, &bits)) {
    bad(fmt::format("'{}' has the shape {}: more elements than a file can hold", shown(tensor.name),
                    shape_text(tensor.shape)));
  }
  if (bits % 8 != 0) {
    bad(fmt::format("'{}' fills {} bits, expected whole bytes", shown(tensor.name), bits));
  }
  return bits / 8;
}

SafetensorsTensor checked(StatedTensor&& stated, std::uint64_t data_begin) {
  if (stated.end < stated.begin) {
    bad(fmt::format("'{}' ends at data byte {}, before it begins at {}", shown(stated.name),
                    stated.end, stated.begin));
  }
  const TypeRow type = type_of(stated);
  const std::uint64_t wanted = wanted_bytes(stated, type.bits);
  if (stated.end - stated.begin != wanted) {
    bad(fmt::format("'{}' is {} {}, expected {}, its offsets [{},{}] give {}", shown(stated.name),
                    type.name, shape_text(stated.shape), counted(wanted, "byte"), stated.begin,
                    stated.end, stated.end - stated.begin));
  }
  SafetensorsTensor tensor{.name = std::move(stated.name),
                           .dtype_name = type.name,
                           .dtype = type.dtype,
                           .shape = Shape(stated.shape.begin(), stated.shape.end()),
                           .begin = 0,
                           .bytes = wanted};
  if (__builtin_add_overflow(data_begin, stated.begin, &tensor.begin) ||
      tensor.begin > std::numeric_limits<std::uint64_t>::max() - wanted) {
    bad(fmt::format("'{}' begins at data byte {}: no file is that long", shown(tensor.name),
                    stated.begin));
  }
  return tensor;
}

/// Tensors in the order of the data have to touch each other, the first the header.
std::uint64_t require_cover(const std::vector<SafetensorsTensor>& tensors,
                            std::uint64_t data_begin) {
  std::uint64_t covered = data_begin;
  const SafetensorsTensor* before = nullptr;
  for (const SafetensorsTensor& tensor : tensors) {
    if (tensor.begin < covered) {
      bad(fmt::format("'{}' begins at byte {}, inside '{}', which ends at {}: they overlap",
                      shown(tensor.name), tensor.begin, shown(before->name), covered));
    }
    if (tensor.begin > covered) {
      bad(fmt::format("'{}' begins at byte {}, expected {}: {} to no tensor", shown(tensor.name),
                      tensor.begin, covered, belong(tensor.begin - covered)));
    }
    covered += tensor.bytes;
    before = &tensor;
  }
  return covered;
}

}  // namespace

SafetensorsHeader read_safetensors_header(std::span<const std::byte> file) {
  const std::uint64_t length = json_length(file);
  StatedHeader stated = parse_safetensors_json(file.subspan(kLengthField, length), kLengthField);
  SafetensorsHeader header{
      .tensors = {}, .metadata = std::move(stated.metadata), .header_bytes = kLengthField + length};
  header.tensors.reserve(stated.tensors.size());
  for (StatedTensor& tensor : stated.tensors) {
    header.tensors.push_back(checked(std::move(tensor), header.header_bytes));
  }
  std::sort(header.tensors.begin(), header.tensors.end(),
            [](const SafetensorsTensor& a, const SafetensorsTensor& b) {
              return std::tie(a.begin, a.bytes, a.name) < std::tie(b.begin, b.bytes, b.name);
            });
  header.file_bytes = require_cover(header.tensors, header.header_bytes);
  return header;
}

void check_safetensors_length(const SafetensorsHeader& header, std::uint64_t file_bytes) {
  if (file_bytes < header.file_bytes) {
    bad(fmt::format("the file ends at byte {}, expected {}: {} missing", file_bytes,
                    header.file_bytes, are(header.file_bytes - file_bytes)),
        kHalfDownload);
  }
  if (file_bytes > header.file_bytes) {
    bad(fmt::format("the last tensor ends at byte {}, but the file at {}: {} to no tensor",
                    header.file_bytes, file_bytes, belong(file_bytes - header.file_bytes)),
        "another file was appended, or the header is damaged");
  }
}

}  // namespace sinter::weights
