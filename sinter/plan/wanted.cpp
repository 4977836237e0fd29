#include "sinter/plan/wanted.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>
#include <string>

#include "sinter/base/error.h"
#include "sinter/base/message.h"

namespace sinter::plan {
namespace {

// A side in steps of 64 pixels is a latent in steps of 8, which all levels of a UNet halve evenly.
constexpr std::int64_t kStep = 64;
constexpr std::int64_t kCell = 8;
constexpr std::int64_t kMaxSide = 16384;
constexpr std::int64_t kMaxCount = 64;

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || text.empty()) return std::nullopt;
  return value;
}

std::vector<std::string_view> parts(std::string_view text, char separator) {
  std::vector<std::string_view> result;
  while (true) {
    const std::size_t end = text.find(separator);
    result.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return result;
    text.remove_prefix(end + 1);
  }
}

bool is_side(std::int64_t side) { return side >= kStep && side <= kMaxSide && side % kCell == 0; }

std::int64_t down(std::int64_t pixels) { return std::max(kStep, pixels / kStep * kStep); }
std::int64_t up(std::int64_t pixels) { return (pixels + kStep - 1) / kStep * kStep; }

Range side_range(const std::vector<PictureSize>& used, std::int64_t PictureSize::*side,
                 Margin margin) {
  Range range{used.front().*side, used.front().*side, used.front().*side};
  for (const PictureSize& size : used) {
    range.min = std::min(range.min, size.*side);
    range.max = std::max(range.max, size.*side);
  }
  if (margin == Margin::kWide) {
    range.min = std::min(range.min, down(range.min / 2));
    range.max = up(range.max + range.max / 4);
  }
  return range;
}

}  // namespace

std::vector<PictureSize> picture_sizes(std::string_view text) {
  std::vector<PictureSize> sizes;
  for (const std::string_view size : parts(text, ':')) {
    const std::vector<std::string_view> sides = parts(size, 'x');
    const std::int64_t width = number(sides.front()).value_or(0);
    const std::int64_t height = number(sides.back()).value_or(0);
    if (sides.size() != 2 || !is_side(width) || !is_side(height)) {
      throw Error(ErrorCode::kUsage,
                  fmt::format("the size '{}' is not WIDTHxHEIGHT with sides that are multiples of "
                              "{} from {} to {}",
                              shown(size), kCell, kStep, kMaxSide),
                  "several sizes stand as 512x512:768x512, the main one first");
    }
    sizes.push_back({width, height});
  }
  return sizes;
}

Range usual_and_most(std::string_view text, std::string_view what) {
  const std::vector<std::string_view> numbers = parts(text, ':');
  const std::optional<std::int64_t> usual = number(numbers.front());
  const std::optional<std::int64_t> most = number(numbers.back());
  const bool sound =
      numbers.size() <= 2 && usual && most && 1 <= *usual && *usual <= *most && *most <= kMaxCount;
  if (!sound) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("{} is '{}', expected the usual number, or it and the most as 1:4, from "
                    "1 to {}",
                    what, shown(text), kMaxCount));
  }
  return {.min = 1, .opt = *usual, .max = *most};
}

std::uint64_t memory_size(std::string_view text) {
  struct Unit {
    std::string_view name;
    double bytes;
  };
  constexpr std::array kUnits{Unit{"gb", 1024.0 * 1024 * 1024}, Unit{"gib", 1024.0 * 1024 * 1024},
                              Unit{"g", 1024.0 * 1024 * 1024},  Unit{"mb", 1024.0 * 1024},
                              Unit{"mib", 1024.0 * 1024},       Unit{"m", 1024.0 * 1024}};
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string unit;
  if (error == std::errc{}) {
    for (const char c : text.substr(static_cast<std::size_t>(stop - text.data()))) {
      if (c != ' ') unit += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  const auto found = std::ranges::find(kUnits, unit, &Unit::name);
  constexpr double kMost = 1024.0 * 1024 * 1024 * 1024;
  if (error != std::errc{} || found == kUnits.end() || !(value > 0) ||
      value * found->bytes > kMost) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("'{}' is no size of a card's memory, expected one as 8GB", shown(text)));
  }
  return static_cast<std::uint64_t>(value * found->bytes);
}

void set_pictures(Sizes& sizes, const std::vector<PictureSize>& used, Margin margin) {
  sizes.width = side_range(used, &PictureSize::width, margin);
  sizes.height = side_range(used, &PictureSize::height, margin);
}

Sizes only_usual(const Sizes& sizes) {
  const auto alone = [](const Range& range) { return Range{range.opt, range.opt, range.opt}; };
  return {.batch = alone(sizes.batch),
          .height = alone(sizes.height),
          .width = alone(sizes.width),
          .tokens = alone(sizes.tokens),
          .guidance = sizes.guidance};
}

}  // namespace sinter::plan
