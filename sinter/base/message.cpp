#include "sinter/base/message.h"

#include <fmt/format.h>

namespace sinter {
namespace {

// The longest names of the families here have 111 bytes.
constexpr std::size_t kLongest = 160;
constexpr std::size_t kBeginning = 100;
constexpr std::size_t kEnd = 40;

/// Whether a UTF-8 character begins at that byte: names are not cut inside one.
bool starts_character(std::string_view text, std::size_t at) {
  return (static_cast<unsigned char>(text[at]) & 0xC0u) != 0x80u;
}

}  // namespace

std::string counted(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string shown(std::string_view name) {
  if (name.size() <= kLongest) return std::string(name);
  std::size_t first = kBeginning;
  std::size_t second = name.size() - kEnd;
  while (first > 0 && !starts_character(name, first)) --first;
  while (second + 1 < name.size() && !starts_character(name, second)) ++second;
  return fmt::format("{}...{}", name.substr(0, first), name.substr(second));
}

}  // namespace sinter
