#include "sinter/diagnose/memory/figures.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <utility>

namespace sinter::diagnose::memory {
namespace {

constexpr double kKilo = 1.0 / 1024;
constexpr double kByte = kKilo / 1024;

struct Unit {
  std::string_view name;
  double mb;
};
constexpr std::array kUnits{
    Unit{"b", kByte},    Unit{"byte", kByte}, Unit{"bytes", kByte}, Unit{"k", kKilo},
    Unit{"kb", kKilo},   Unit{"kib", kKilo},  Unit{"m", 1},         Unit{"mb", 1},
    Unit{"mib", 1},      Unit{"mbyte", 1},    Unit{"g", 1024},      Unit{"gb", 1024},
    Unit{"gib", 1024},   Unit{"gbyte", 1024}, Unit{"megabytes", 1}, Unit{"gigabytes", 1024},
    Unit{"tib", 1048576}};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
/// A byte of UTF-8 beyond ASCII: of a word in another script.
bool is_foreign(char c) { return static_cast<unsigned char>(c) >= 0x80; }

/// A word that stands alone in the text: "ram", but not in "vram" or "program".
bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !is_letter(text[at - 1]);
    const std::size_t end = at + word.size();
    if (begins && (end == text.size() || !is_letter(text[end]))) return true;
  }
  return false;
}

/// A piece of a line: a number (with its unit if one follows), a word, or a mark that ends what
/// words say.
struct Piece {
  enum class Kind { kNumber, kWord, kStop, kSlash } kind;
  std::size_t begin;
  std::string_view text;  // of a word
  double number = 0;
  std::optional<double> unit;
};

/// Reads "1,234.5" at `at`; moves behind it.
double read_number(std::string_view line, std::size_t& at) {
  std::string digits;
  while (at < line.size()) {
    const bool group = line[at] == ',' && at + 3 < line.size() && is_digit(line[at + 1]) &&
                       is_digit(line[at + 2]) && is_digit(line[at + 3]) && !has(digits, ".");
    const bool point =
        line[at] == '.' && at + 1 < line.size() && is_digit(line[at + 1]) && !has(digits, ".");
    if (!is_digit(line[at]) && !group && !point) break;
    if (!group) digits.push_back(line[at]);
    ++at;
  }
  return std::strtod(digits.c_str(), nullptr);
}

bool word_character(char c) {
  return is_letter(c) || is_foreign(c) || c == '_' || c == '.' || c == '(' || c == ')' ||
         c == '"' || c == '\'';
}

/// The unit that follows a number, perhaps after a blank; moves behind it.
std::optional<double> read_unit(std::string_view line, std::size_t& at) {
  std::size_t begin = at;
  if (begin < line.size() && line[begin] == ' ') ++begin;
  std::size_t end = begin;
  while (end < line.size() && is_letter(line[end])) ++end;
  const auto unit = unit_mb(line.substr(begin, end - begin));
  const bool rate =
      end < line.size() && line[end] == '/' && end + 1 < line.size() && line[end + 1] == 's';
  if (!unit || rate) return std::nullopt;
  at = end;
  return unit;
}

std::vector<Piece> pieces_of(std::string_view line) {
  std::vector<Piece> pieces;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = at;
    const char c = line[at];
    if (is_digit(c)) {
      Piece piece{Piece::Kind::kNumber, begin, {}, 0, {}};
      piece.number = read_number(line, at);
      piece.unit = read_unit(line, at);
      piece.text = line.substr(begin, at - begin);
      pieces.push_back(piece);
    } else if (is_letter(c) || is_foreign(c) || c == '_') {
      // A number inside a name belongs to it, but not one behind a Chinese word.
      while (at < line.size() &&
             (word_character(line[at]) ||
              (is_digit(line[at]) && !(at > begin && is_foreign(line[at - 1])))))
        ++at;
      pieces.push_back({Piece::Kind::kWord, begin, line.substr(begin, at - begin), 0, {}});
    } else {
      ++at;
      if (c == '/') pieces.push_back({Piece::Kind::kSlash, begin, {}, 0, {}});
      if (c == ',' || c == ';' || c == '|' || c == ']' || c == '}')
        pieces.push_back({Piece::Kind::kStop, begin, {}, 0, {}});
    }
  }
  return pieces;
}

/// The words before a piece, back to a number, a mark or the sixth word.
std::string words_before(const std::vector<Piece>& pieces, std::size_t at, std::size_t& first) {
  std::string words;
  first = at;
  for (int count = 0; first > 0 && count < 6; ++count) {
    if (pieces[first - 1].kind != Piece::Kind::kWord) break;
    --first;
    words = std::string(pieces[first].text) + " " + words;
  }
  return words;
}

std::string word_after(const std::vector<Piece>& pieces, std::size_t at) {
  std::string words;
  for (std::size_t i = at + 1; i < pieces.size() && i < at + 3; ++i) {
    if (pieces[i].kind != Piece::Kind::kWord) break;
    words += std::string(pieces[i].text) + " ";
  }
  return words;
}

/// Only a number with a unit, or a large or broken one behind its word, is an amount of memory.
bool amount(const Piece& piece, bool named) {
  if (piece.unit) return true;
  return named && (piece.number >= 16777216 || has(piece.text, ".") || piece.number >= 100);
}

/// "GPU mem 8.2GiB", "VRAM: 5012 MiB", "显存 8.2 GB": what is there now, unless it is what is asked
/// for.
bool names_device_memory(std::string_view words) {
  const std::string text = lower(words);
  for (const std::string_view wish :
       {"need", "requir", "at least", "minimum", "state", "requested", "model", "需要", "至少"})
    if (has(text, wish)) return false;
  for (const std::string_view name : {"vram", "gpu mem", "gpu_mem", "gpu.mem", "gpumem", "cuda mem",
                                      "cuda_mem", "device mem", "显存"})
    if (has(text, name)) return true;
  return false;
}

std::optional<double> named_unit(std::string_view words) {
  const std::string text = lower(words);
  for (const std::string_view unit : {"gib", "gb", "mib", "mb", "kib", "kb", "bytes"})
    for (const std::string_view mark : {"_", "(", "[", " ", "."})
      if (has(text + " ", std::string(mark) + std::string(unit))) return unit_mb(unit);
  return std::nullopt;
}

}  // namespace

std::optional<double> unit_mb(std::string_view unit) {
  const std::string name = lower(unit);
  const auto row = std::ranges::find(kUnits, std::string_view(name), &Unit::name);
  return row == kUnits.end() ? std::nullopt : std::optional(row->mb);
}

double to_mb(double number, std::optional<double> unit) {
  if (unit) return number * *unit;
  if (number >= 16777216) return number * kByte;
  return number < 200 ? number * 1024 : number;
}

Quantity quantity_of(std::string_view words) {
  const std::string text = lower(words);
  const bool peak = has(text, "peak") || has_word(text, "max") || has(text, "max_") ||
                    has(text, "maximum") || has(text, "highest") || has(text, "峰值") ||
                    has(text, "最大") || has(text, "最高");
  if (has_word(text, "ram") || has_word(text, "cpu") || has(text, "rss") || has(text, "swap") ||
      has(text, "percent") || has(text, "host") || (has(text, "内存") && !has(text, "gpu")))
    return Quantity::kIgnored;
  if (has(text, "unallocated") || has(text, "inactive") || has(text, "未分配"))
    return Quantity::kUnallocated;
  if (has(text, "reserved") || has(text, "cached") || has(text, "保留") || has(text, "预留") ||
      has(text, "缓存"))
    return peak ? Quantity::kIgnored : Quantity::kReserved;
  if (has(text, "allocations") || has(text, "allocs")) return Quantity::kIgnored;
  if (has(text, "alloc") || has_word(text, "active") || has(text, "分配"))
    return peak ? Quantity::kPeak : Quantity::kAllocated;
  if (peak) return Quantity::kPeak;
  if (has(text, "total used") || has(text, "已用") || has(text, "使用") || has(text, "占用"))
    return Quantity::kUsed;
  if (has(text, "total") || has(text, "capacity") || has(text, "limit") || has(text, "总"))
    return Quantity::kTotal;
  if (has_word(text, "free") || has(text, "available") || has(text, "空闲") || has(text, "可用") ||
      has(text, "剩余"))
    return Quantity::kFree;
  if (has(text, "used") || has(text, "usage") || has(text, "in use") || has(text, "in_use"))
    return Quantity::kUsed;
  return Quantity::kNone;
}

void Figures::derive_used() {
  if (!sample() && free && total && *free <= *total) used = *total - *free;
}

void set(Figures& figures, Quantity quantity, double mb) {
  switch (quantity) {
    case Quantity::kAllocated:
      figures.allocated = mb;
      break;
    case Quantity::kReserved:
      figures.reserved = mb;
      break;
    case Quantity::kUsed:
      figures.used = mb;
      break;
    case Quantity::kPeak:
      figures.peak = mb;
      break;
    case Quantity::kTotal:
      figures.total = mb;
      break;
    case Quantity::kFree:
      figures.free = mb;
      break;
    case Quantity::kUnallocated:
      figures.unallocated = mb;
      break;
    case Quantity::kNone:
    case Quantity::kIgnored:
      break;
  }
}

namespace {

/// "VRAM 5.3/8.0 GB", "6022MiB / 10240MiB": used and total. Returns whether it was one.
bool take_pair(const std::vector<Piece>& pieces, std::size_t at, std::string_view words,
               Figures& figures) {
  if (at + 2 >= pieces.size() || pieces[at + 1].kind != Piece::Kind::kSlash ||
      pieces[at + 2].kind != Piece::Kind::kNumber || !pieces[at + 2].unit)
    return false;
  const std::string text = lower(words);
  const auto unit = pieces[at].unit ? pieces[at].unit : pieces[at + 2].unit;
  const double first = to_mb(pieces[at].number, unit);
  const double second = to_mb(pieces[at + 2].number, pieces[at + 2].unit);
  if (has(text, "active/reserved") || has(text, "allocated/reserved")) {
    figures.allocated = first;
    figures.reserved = second;
  } else if (first <= second) {
    figures.used = first;
    figures.total = second;
  } else {
    return false;
  }
  return true;
}

}  // namespace

Figures figures_in(std::string_view line, std::string& label) {
  Figures figures;
  const std::vector<Piece> pieces = pieces_of(line);
  std::size_t label_end = line.size();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].kind != Piece::Kind::kNumber) continue;
    std::size_t first = i;
    std::string before = words_before(pieces, i, first);
    // "Torch active/reserved: 2570/2816 MiB": the slash between words belongs to them.
    if (first > 1 && pieces[first - 1].kind == Piece::Kind::kSlash &&
        pieces[first - 2].kind == Piece::Kind::kWord) {
      std::size_t earlier = first - 1;
      before = words_before(pieces, first - 1, earlier) + "/" + before;
      std::erase(before, ' ');
      first = earlier;
    }
    const std::size_t begin = pieces[first].begin;
    if (take_pair(pieces, i, before, figures)) {
      label_end = std::min(label_end, begin);
      i += 2;
      continue;
    }
    Quantity quantity = quantity_of(before);
    bool named = quantity != Quantity::kNone;
    if (before == "A ") quantity = Quantity::kAllocated;  // the line under a picture of the webui
    if (before == "R ") quantity = Quantity::kReserved;
    if (quantity == Quantity::kNone && pieces[i].unit)
      quantity = quantity_of(word_after(pieces, i));
    if (quantity == Quantity::kNone && pieces[i].unit && names_device_memory(before))
      quantity = Quantity::kUsed;
    if (quantity == Quantity::kNone || !amount(pieces[i], named)) continue;
    const auto unit = pieces[i].unit ? pieces[i].unit : named_unit(before);
    set(figures, quantity, to_mb(pieces[i].number, unit));
    // The label ends where the name of the first figure begins: at the word that says it.
    std::size_t name = begin;
    for (std::size_t word = first; word < i; ++word) {
      if (quantity_of(pieces[word].text) == Quantity::kNone &&
          !names_device_memory(pieces[word].text))
        continue;
      name = pieces[word].begin;
      break;
    }
    label_end = std::min(label_end, name);
  }
  label = std::string(line.substr(0, label_end));
  figures.derive_used();
  return figures;
}

std::vector<double> numbers_in(std::string_view label) {
  std::vector<double> numbers;
  for (std::size_t at = 0; at < label.size();) {
    if (!is_digit(label[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    const double number = read_number(label, at);
    const bool clock =
        (begin > 0 && (label[begin - 1] == ':' && begin > 1 && is_digit(label[begin - 2]))) ||
        (at + 1 < label.size() && label[at] == ':' && is_digit(label[at + 1]));
    const bool broken = has(label.substr(begin, at - begin), ".");
    const bool size =
        (at < label.size() && label[at] == 'x') ||
        (begin > 0 && label[begin - 1] == 'x' && begin > 1 && is_digit(label[begin - 2]));
    if (!clock && !broken && !size) numbers.push_back(number);
  }
  return numbers;
}

std::string shape_of(std::string_view label) {
  std::string shape;
  for (std::size_t at = 0; at < label.size();) {
    if (is_digit(label[at])) {
      read_number(label, at);
      if (shape.empty() || shape.back() != '#') shape.push_back('#');
    } else {
      const char c = label[at++];
      if (c == ' ' || c == '\t') {
        if (!shape.empty() && shape.back() != ' ') shape.push_back(' ');
      } else {
        shape.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
      }
    }
  }
  while (!shape.empty() && shape.back() == ' ') shape.pop_back();
  return shape;
}

}  // namespace sinter::diagnose::memory
