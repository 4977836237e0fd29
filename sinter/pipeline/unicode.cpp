#include "sinter/pipeline/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <span>

namespace sinter::pipeline {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Letters and numbers that came after Unicode 15.0, which utf8proc 2.8 knows, up to 16.0.
constexpr std::array kNewLetters{
    Range{0x1C89, 0x1C8A},   Range{0xA7CB, 0xA7CD},   Range{0xA7DA, 0xA7DC},
    Range{0x105C0, 0x105F3}, Range{0x10D4A, 0x10D65}, Range{0x10D6F, 0x10D85},
    Range{0x10EC2, 0x10EC4}, Range{0x11380, 0x11389}, Range{0x1138B, 0x1138B},
    Range{0x1138E, 0x1138E}, Range{0x11390, 0x113B5}, Range{0x113B7, 0x113B7},
    Range{0x113D1, 0x113D1}, Range{0x113D3, 0x113D3}, Range{0x11BC0, 0x11BE0},
    Range{0x13460, 0x143FA}, Range{0x16100, 0x1611D}, Range{0x16D40, 0x16D6C},
    Range{0x18CFF, 0x18CFF}, Range{0x1E5D0, 0x1E5ED}, Range{0x1E5F0, 0x1E5F0},
    Range{0x2EBF0, 0x2EE5D}};
constexpr std::array kNewNumbers{Range{0x10D40, 0x10D49}, Range{0x116D0, 0x116E3},
                                 Range{0x11BF0, 0x11BF9}, Range{0x16130, 0x16139},
                                 Range{0x16D70, 0x16D79}, Range{0x1CCF0, 0x1CCF9},
                                 Range{0x1E5F1, 0x1E5FA}};

constexpr std::array kSpaces{Range{0x9, 0xD},       Range{0x20, 0x20},     Range{0x85, 0x85},
                             Range{0xA0, 0xA0},     Range{0x1680, 0x1680}, Range{0x2000, 0x200A},
                             Range{0x2028, 0x2029}, Range{0x202F, 0x202F}, Range{0x205F, 0x205F},
                             Range{0x3000, 0x3000}};

// Capitals that came with Unicode 16 and 17: those of `range` (every second one when alternating)
// lie `offset` before their small letters.
struct LowerCase {
  Range range;
  int step;
  std::int32_t offset;
};
constexpr std::array kNewLowerCase{
    LowerCase{{0x1C89, 0x1C89}, 1, 1},      LowerCase{{0xA7CB, 0xA7CB}, 1, 0x264 - 0xA7CB},
    LowerCase{{0xA7CC, 0xA7CE}, 2, 1},      LowerCase{{0xA7D2, 0xA7D4}, 2, 1},
    LowerCase{{0xA7DA, 0xA7DA}, 1, 1},      LowerCase{{0xA7DC, 0xA7DC}, 1, 0x19B - 0xA7DC},
    LowerCase{{0x10D50, 0x10D65}, 1, 0x20}, LowerCase{{0x16EA0, 0x16EB8}, 1, 0x1B}};

// Marks that came after Unicode 9.0: to the normalizer they have combining class 0.
constexpr std::array kNewMarks{
    Range{0x7FD, 0x7FD},     Range{0x898, 0x89F},     Range{0x8CA, 0x8D3},
    Range{0x9FE, 0x9FE},     Range{0xC3C, 0xC3C},     Range{0xD3B, 0xD3C},
    Range{0xEBA, 0xEBA},     Range{0x1715, 0x1715},   Range{0x1ABF, 0x1ACE},
    Range{0x1DF6, 0x1DFA},   Range{0xA82C, 0xA82C},   Range{0x10D24, 0x10D27},
    Range{0x10EAB, 0x10EAC}, Range{0x10EFD, 0x10EFF}, Range{0x10F46, 0x10F50},
    Range{0x10F82, 0x10F85}, Range{0x11070, 0x11070}, Range{0x1133B, 0x1133B},
    Range{0x1145E, 0x1145E}, Range{0x11839, 0x1183A}, Range{0x1193D, 0x1193E},
    Range{0x11943, 0x11943}, Range{0x119E0, 0x119E0}, Range{0x11A34, 0x11A34},
    Range{0x11A47, 0x11A47}, Range{0x11A99, 0x11A99}, Range{0x11D42, 0x11D42},
    Range{0x11D44, 0x11D45}, Range{0x11D97, 0x11D97}, Range{0x11F41, 0x11F42},
    Range{0x16FF0, 0x16FF1}, Range{0x1E08F, 0x1E08F}, Range{0x1E130, 0x1E136},
    Range{0x1E2AE, 0x1E2AE}, Range{0x1E2EC, 0x1E2EF}, Range{0x1E4EC, 0x1E4EF}};

// The one letter with a decomposition that came after Unicode 9.0.
constexpr char32_t kDivesAkuruO = 0x11938;

bool in(std::span<const Range> ranges, char32_t code) {
  const auto after = std::ranges::upper_bound(ranges, code, {}, &Range::first);
  return after != ranges.begin() && code <= std::prev(after)->last;
}

char category_class(char32_t code) {
  return utf8proc_category_string(static_cast<utf8proc_int32_t>(code))[0];
}

int combining_class(char32_t code) {
  if (code < 0x300 || in(kNewMarks, code)) return 0;
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(code))->combining_class;
}

void append_decomposed(std::u32string& out, char32_t code) {
  std::array<utf8proc_int32_t, 8> buffer{};
  utf8proc_ssize_t count = 0;
  if (code != kDivesAkuruO) {
    count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code), buffer.data(), buffer.size(),
                                static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE), nullptr);
  }
  if (count <= 0 || count > static_cast<utf8proc_ssize_t>(buffer.size())) {
    out.push_back(code);
    return;
  }
  for (utf8proc_ssize_t i = 0; i < count; ++i)
    out.push_back(static_cast<char32_t>(buffer[static_cast<std::size_t>(i)]));
}

// The canonical composite of two code points, or 0.
char32_t compose(char32_t first, char32_t second) {
  // The place before the first trailing consonant of Hangul, which utf8proc takes for one.
  if (second == 0x11A7) return 0;
  std::array<utf8proc_int32_t, 3> pair{static_cast<utf8proc_int32_t>(first),
                                       static_cast<utf8proc_int32_t>(second), 0};
  constexpr auto kOptions = static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE);
  if (utf8proc_normalize_utf32(pair.data(), 2, kOptions) != 1) return 0;
  const char32_t composite = static_cast<char32_t>(pair[0]);
  return composite == kDivesAkuruO ? 0 : composite;
}

void reorder_marks(std::u32string& text) {
  for (std::size_t i = 0; i < text.size();) {
    if (combining_class(text[i]) == 0) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && combining_class(text[end]) != 0) ++end;
    std::stable_sort(text.begin() + static_cast<std::ptrdiff_t>(i),
                     text.begin() + static_cast<std::ptrdiff_t>(end), [](char32_t a, char32_t b) {
                       return combining_class(a) < combining_class(b);
                     });
    i = end;
  }
}

}  // namespace

bool is_letter(char32_t code) { return category_class(code) == 'L' || in(kNewLetters, code); }

bool is_number(char32_t code) { return category_class(code) == 'N' || in(kNewNumbers, code); }

bool is_space(char32_t code) { return in(kSpaces, code); }

std::u32string to_lower(std::u32string_view text) {
  std::u32string result;
  result.reserve(text.size());
  for (const char32_t code : text) {
    if (code == U'\u0130') {  // the only letter whose small form is two code points
      result += U"i\u0307";
      continue;
    }
    char32_t lower = static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code)));
    for (const LowerCase& row : kNewLowerCase) {
      if (code < row.range.first || code > row.range.last) continue;
      if ((code - row.range.first) % static_cast<char32_t>(row.step) == 0)
        lower = static_cast<char32_t>(static_cast<std::int32_t>(code) + row.offset);
    }
    result.push_back(lower);
  }
  return result;
}

std::u32string nfc(std::u32string_view text) {
  // Nothing below U+0300 decomposes to something that does not compose again.
  if (std::ranges::all_of(text, [](char32_t code) { return code < 0x300; }))
    return std::u32string(text);
  std::u32string source;
  source.reserve(text.size());
  for (const char32_t code : text) append_decomposed(source, code);
  reorder_marks(source);

  std::u32string result;
  std::size_t starter = std::u32string::npos;
  int last_class = 0;  // of the code point kept last behind the starter; 0: none is
  for (const char32_t code : source) {
    const int this_class = combining_class(code);
    const bool adjacent = starter != std::u32string::npos && starter + 1 == result.size();
    if (starter != std::u32string::npos &&
        (adjacent || (last_class != 0 && last_class < this_class))) {
      if (const char32_t composite = compose(result[starter], code); composite != 0) {
        result[starter] = composite;
        continue;
      }
    }
    if (this_class == 0) starter = result.size();
    last_class = this_class;
    result.push_back(code);
  }
  return result;
}

}  // namespace sinter::pipeline
