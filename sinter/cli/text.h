#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "sinter/base/message.h"

namespace sinter::cli {

/// "3.4 GB": decimal units, as disks and download pages count.
std::string human_bytes(std::uint64_t bytes);

/// "12 s", "3 min 20 s".
std::string human_seconds(double seconds);

/// fmt::print of what people read: no character out of a file commands the terminal.
template <typename... Args>
void print_words(std::FILE* out, fmt::format_string<Args...> format, Args&&... args) {
  const std::string words = fmt::format(format, std::forward<Args>(args)...);
  fmt::print(out, "{}", printable(words, /*keep_lines=*/true));
}

}  // namespace sinter::cli
