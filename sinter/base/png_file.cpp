#include "sinter/base/png_file.h"

#include <fmt/format.h>
#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "sinter/base/utf8.h"
#include "sinter/base/error.h"
#include "sinter/base/file.h"

namespace sinter {
namespace {

// Chunks: length, type, data, checksum; the header chunk has 13 bytes of data (PNG specification,
// section 5.3).
constexpr std::size_t kSignatureBytes = 8;
constexpr std::size_t kChunkFrameBytes = 12;
constexpr std::size_t kHeaderEnd = kSignatureBytes + kChunkFrameBytes + 13;
constexpr std::string_view kSignature("\x89PNG\r\n\x1a\n", kSignatureBytes);

void append_u32(std::string& out, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) out.push_back(static_cast<char>((value >> shift) & 0xFFu));
}

std::uint32_t read_u32(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char byte : bytes.substr(0, 4))
    value = (value << 8) | static_cast<unsigned char>(byte);
  return value;
}

std::string chunk(std::string_view type, std::string_view data) {
  std::string result;
  append_u32(result, static_cast<std::uint32_t>(data.size()));
  result.append(type).append(data);
  const std::string_view summed = std::string_view(result).substr(4);
  const auto sum =
      ::crc32(0, reinterpret_cast<const Bytef*>(summed.data()), static_cast<uInt>(summed.size()));
  append_u32(result, static_cast<std::uint32_t>(sum));
  return result;
}

std::string latin1_to_utf8(std::string_view text) {
  std::string result;
  for (const char byte : text) append_utf8(result, static_cast<unsigned char>(byte));
  return result;
}

std::string text_chunk(const std::string& keyword, const std::string& text) {
  std::string latin1;
  std::string utf8;
  bool fits = true;
  for (const char32_t code : decode_utf8(text)) {
    if (code == 0) continue;
    append_utf8(utf8, code);
    fits = fits && code < 256;
    if (fits) latin1.push_back(static_cast<char>(code));
  }
  const std::string_view zero("\0", 1);
  if (fits) return chunk("tEXt", keyword + std::string(zero) + latin1);
  // Behind the keyword: not compressed, method 0, no language, no translated keyword.
  return chunk("iTXt", keyword + std::string("\0\0\0\0\0", 5) + utf8);
}

struct PngImage {
  PngImage() { image.version = PNG_IMAGE_VERSION; }
  ~PngImage() { png_image_free(&image); }
  PngImage(const PngImage&) = delete;
  PngImage& operator=(const PngImage&) = delete;

  png_image image{};
};

std::string encode(const Image& image) {
  PngImage png;
  png.image.width = static_cast<png_uint_32>(image.width);
  png.image.height = static_cast<png_uint_32>(image.height);
  png.image.format = image.channels == 4 ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
  std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(png.image), '\0');
  png_alloc_size_t size = bytes.size();
  if (png_image_write_to_memory(&png.image, bytes.data(), &size, 0, image.pixels.data(), 0,
                                nullptr) == 0) {
    throw Error(ErrorCode::kInternal, fmt::format("a picture of {}x{} cannot be made a PNG: {}",
                                                  image.width, image.height, png.image.message));
  }
  bytes.resize(size);
  return bytes;
}

[[noreturn]] void bad_file(const std::filesystem::path& path, std::string_view why) {
  throw Error(ErrorCode::kBadFile,
              fmt::format("{} is not a whole PNG file: {}", path.string(), why));
}

// Picture formats by how their files begin; `offset` where that is not the first byte.
struct OtherFormat {
  std::string_view name;
  std::string_view magic;
  std::size_t offset = 0;
};
constexpr std::array kOtherFormats{
    OtherFormat{"JPEG", "\xFF\xD8\xFF"}, OtherFormat{"WebP", "WEBP", 8},
    OtherFormat{"GIF", "GIF8"},          OtherFormat{"AVIF", "ftypavif", 4},
    OtherFormat{"HEIF", "ftyphei", 4},   OtherFormat{"JPEG XL", "\xFF\x0A"},
    OtherFormat{"TIFF", "II*"},          OtherFormat{"BMP", "BM"}};

void refuse_other_formats(const std::filesystem::path& path, std::string_view bytes) {
  for (const OtherFormat& format : kOtherFormats) {
    if (!bytes.substr(std::min(format.offset, bytes.size())).starts_with(format.magic)) continue;
    throw Error(ErrorCode::kUnsupported,
                fmt::format("{} is a {} file, expected PNG", path.string(), format.name),
                "save the picture as PNG where it is made: lossy formats blur what tells");
  }
}

// The text of a tEXt or iTXt chunk's data; nothing where it is compressed or malformed.
std::optional<std::pair<std::string, std::string>> parse_text(std::string_view type,
                                                              std::string_view data) {
  const std::size_t end = data.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string keyword = latin1_to_utf8(data.substr(0, end));
  data.remove_prefix(end + 1);
  if (type == "tEXt") return std::pair(keyword, latin1_to_utf8(data));
  if (data.size() < 2 || data[0] != 0) return std::nullopt;
  data.remove_prefix(2);
  for (int field = 0; field < 2; ++field) {  // language, translated keyword
    const std::size_t stop = data.find('\0');
    if (stop == std::string_view::npos) return std::nullopt;
    data.remove_prefix(stop + 1);
  }
  return std::pair(keyword, std::string(data));
}

}  // namespace

void write_png(const std::filesystem::path& path, const Image& image, const PngTexts& texts) {
  const auto expected = static_cast<std::size_t>(std::max(image.width, 0)) *
                        static_cast<std::size_t>(std::max(image.height, 0)) *
                        static_cast<std::size_t>(image.channels);
  if (expected == 0 || image.pixels.size() != expected) {
    throw Error(ErrorCode::kUsage,
                fmt::format("a picture of {}x{}x{} has {} bytes, expected {}", image.width,
                            image.height, image.channels, image.pixels.size(), expected));
  }
  const std::string bytes = encode(image);
  AtomicFile file(path);
  file.write(std::string_view(bytes).substr(0, kHeaderEnd));
  for (const auto& [keyword, text] : texts) file.write(text_chunk(keyword, text));
  file.write(std::string_view(bytes).substr(kHeaderEnd));
  file.commit();
}

Image read_png(const std::filesystem::path& path) {
  const std::string bytes = read_text(path);
  refuse_other_formats(path, bytes);
  PngImage png;
  if (png_image_begin_read_from_memory(&png.image, bytes.data(), bytes.size()) == 0)
    bad_file(path, png.image.message);
  const bool alpha = (png.image.format & PNG_FORMAT_FLAG_ALPHA) != 0;
  png.image.format = alpha ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
  // Else 16 bits a channel would count as linear light; who writes them means sRGB.
  png.image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  Image image{
      static_cast<int>(png.image.width), static_cast<int>(png.image.height), alpha ? 4 : 3, {}};
  // libpng itself refuses more than a million pixels along a side; more than this is a forged
  // header.
  constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 28;
  if (std::uint64_t{png.image.width} * png.image.height > kMaxPixels)
    bad_file(path, fmt::format("it claims {}x{} pixels", png.image.width, png.image.height));
  image.pixels.resize(PNG_IMAGE_SIZE(png.image));
  if (png_image_finish_read(&png.image, nullptr, image.pixels.data(), 0, nullptr) == 0)
    bad_file(path, png.image.message);
  return image;
}

PngTexts read_png_texts(const std::filesystem::path& path) {
  const std::string bytes = read_text(path);
  std::string_view rest = bytes;
  if (!rest.starts_with(kSignature)) bad_file(path, "the signature is missing");
  rest.remove_prefix(kSignatureBytes);
  PngTexts texts;
  while (!rest.empty()) {
    if (rest.size() < kChunkFrameBytes || read_u32(rest) > rest.size() - kChunkFrameBytes) {
      bad_file(path, fmt::format("the chunk at byte {} goes beyond the end at {}",
                                 bytes.size() - rest.size(), bytes.size()));
    }
    const std::size_t length = read_u32(rest);
    const std::string_view type = rest.substr(4, 4);
    if (type == "tEXt" || type == "iTXt")
      if (auto text = parse_text(type, rest.substr(8, length))) texts.push_back(std::move(*text));
    rest.remove_prefix(kChunkFrameBytes + length);
  }
  return texts;
}

}  // namespace sinter
