#include "sinter/diagnose/log/decoder.h"

#include <cstdint>
#include <utility>

namespace sinter::diagnose::log {
namespace {

void append_utf8(std::uint32_t code, std::string& out) {
  const auto tail = [&](unsigned shift) {
    out += static_cast<char>(0x80 | ((code >> shift) & 0x3f));
  };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | (code >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace

std::string Decoder::decode(std::string_view bytes) {
  if (encoding_ == Encoding::kBytes) return std::string(bytes);
  pending_ += bytes;
  if (encoding_ == Encoding::kUnknown) {
    if (pending_.size() < 2) return {};
    if (pending_.starts_with("\xff\xfe")) {
      encoding_ = Encoding::kUtf16Little;
      pending_.erase(0, 2);
    } else if (pending_.starts_with("\xfe\xff")) {
      encoding_ = Encoding::kUtf16Big;
      pending_.erase(0, 2);
    } else if (pending_[1] == '\0' && pending_[0] != '\0') {
      encoding_ = Encoding::kUtf16Little;
    } else if (pending_[0] == '\0' && pending_[1] != '\0') {
      encoding_ = Encoding::kUtf16Big;
    } else {
      encoding_ = Encoding::kBytes;
      if (pending_.starts_with("\xef\xbb\xbf")) pending_.erase(0, 3);
      return std::exchange(pending_, {});
    }
  }
  const auto unit = [&](std::size_t at) -> std::uint32_t {
    const auto first = static_cast<unsigned char>(pending_[at]);
    const auto second = static_cast<unsigned char>(pending_[at + 1]);
    return encoding_ == Encoding::kUtf16Little ? first | (second << 8U) : (first << 8U) | second;
  };
  std::string text;
  std::size_t at = 0;
  while (at + 2 <= pending_.size()) {
    std::uint32_t code = unit(at);
    if (code >= 0xd800 && code < 0xdc00) {
      if (at + 4 > pending_.size()) break;
      const std::uint32_t low = unit(at + 2);
      const bool pair = low >= 0xdc00 && low < 0xe000;
      code = pair ? 0x10000 + ((code - 0xd800) << 10U) + (low - 0xdc00) : 0xfffd;
      at += pair ? 2 : 0;
    } else if (code >= 0xdc00 && code < 0xe000) {
      code = 0xfffd;
    }
    append_utf8(code, text);
    at += 2;
  }
  pending_.erase(0, at);
  return text;
}

}  // namespace sinter::diagnose::log
