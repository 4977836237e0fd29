#include "sinter/cli/text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

namespace sinter::cli {

std::string human_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"B", "kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes)
                   : fmt::format("{:.{}f} {}", value, value < 10 ? 1 : 0, kUnits[unit]);
}

std::string human_seconds(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const int whole = static_cast<int>(std::lround(seconds));
  return whole < 60 ? fmt::format("{} s", whole)
                    : fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

}  // namespace sinter::cli
