#include "sinter/diagnose/log/excerpt.h"

#include <re2/re2.h>

#include <algorithm>
#include <utility>

namespace sinter::diagnose::log {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
constexpr std::size_t kWholeBytes = std::size_t{2} << 20;  // a log this short is kept whole
constexpr std::size_t kMostBytes = std::size_t{10} << 20;
constexpr std::size_t kTailBytes = std::size_t{256} << 10;
constexpr std::size_t kLongestLine = std::size_t{256} << 10;
constexpr std::size_t kLinesBefore = 60;
constexpr std::size_t kLinesAfter = 60;
constexpr int kTimesEach = 4;
constexpr std::size_t kMostKinds = 20000;

// Words that errors are made of. Every row of the rules must be caught by them (a test holds that).
const RE2& trouble() {
  static const RE2 kPattern(
      "[Ee]rror|ERROR|[Ee]xception|Traceback|[Ff]ail|FAIL|\\[E\\]|\\[F\\]|[Kk]illed|[Aa]bort|"
      "[Cc]ore dumped|panicked|[Cc]annot|[Cc]an't|[Cc]ould not|[Cc]ouldn't|[Uu]nable|"
      "[Oo]ut of memory|OutOfMemory|[Nn]ot enough|OOM|OUTOFMEMORY|[Nn]o LoRA|[Dd]enied|No space|No "
      "such|[Nn]ot found|"
      "[Mm]issing|[Mm]ismatch|MISMATCH|is required|[Uu]nsupported|[Nn]ot supported|not "
      "compatible|incompatible|"
      "[Ii]nvalid|[Ii]llegal|[Rr]efused|[Cc]orrupt|terminate called|Segmentation|[Bb]us error|"
      "not implemented|[Nn]o module named|WinError|Errno|[^a-z_]nan[^a-z_]|[^A-Z]NaN|[Bb]lack|"
      "[Nn]o kernel image|not available|[Nn]ot in available|unexpected|[Ee]xpected|not allowed|"
      "[Bb]ad magic|git-lfs|compiled with|compiled using|not able|must be|should be|[Uu]nknown|"
      "different|does not|doesn't|has no attribute|truncated|[Tt]imed out|exceed|too large|too "
      "small|too long|malicious|[Nn]ot in list|[Nn]o data found");
  return kPattern;
}

/// The same line with other numbers is no news.
std::uint64_t kind_of(std::string_view line) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : line.substr(0, 240)) {
    if (c >= '0' && c <= '9') continue;
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  return hash;
}

std::size_t line_begin(std::string_view text, std::size_t at) {
  const std::size_t newline = at == 0 ? text.npos : text.rfind('\n', at - 1);
  return newline == text.npos ? 0 : newline + 1;
}

/// Behind the newline of the line that holds `at`.
std::size_t line_end(std::string_view text, std::size_t at) {
  const std::size_t newline = text.find('\n', at);
  return newline == text.npos ? text.size() : newline + 1;
}

std::size_t count_lines(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

bool sounds_like_trouble(std::string_view line) {
  return RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), trouble());
}

void Excerpt::add(std::string_view text) {
  while (!text.empty()) {
    const std::size_t piece = std::min(text.size(), kBlockBytes);
    pending_ += text.substr(0, piece);
    text.remove_prefix(piece);
    std::size_t done = 0;
    while (pending_.size() - done >= kBlockBytes) {
      const std::string_view block = std::string_view(pending_).substr(done, kBlockBytes);
      const std::size_t newline = block.rfind('\n');
      const std::size_t length = newline == block.npos ? block.size() : newline + 1;
      take_block(block.substr(0, length), false);
      done += length;
    }
    pending_.erase(0, done);
  }
}

void Excerpt::take_block(std::string_view block, bool last) {
  const std::size_t lines = count_lines(block) + (last && !block.ends_with('\n') ? 1 : 0);
  if (kept_bytes_ < kWholeBytes && last_kept_ + 1 == next_number_) {
    take_whole(block);
  } else {
    take_windows(block);
  }
  if (block.size() >= kTailBytes) {
    const std::size_t begin = line_begin(block, block.size() - kTailBytes);
    tail_ = block.substr(begin);
    tail_number_ = next_number_ + count_lines(block.substr(0, begin));
  } else {
    tail_ += block;
    if (tail_.size() > 2 * kTailBytes) {
      const std::size_t begin = line_begin(tail_, tail_.size() - kTailBytes);
      tail_number_ += count_lines(std::string_view(tail_).substr(0, begin));
      tail_.erase(0, begin);
    }
  }
  next_number_ += lines;
}

void Excerpt::take_whole(std::string_view block) { keep(block, next_number_); }

void Excerpt::keep(std::string_view lines, std::size_t first_number) {
  if (!kept_.empty() && first_number > last_kept_ + 1) kept_.push_back({last_kept_ + 1, "", 0});
  std::size_t number = first_number;
  for (std::size_t begin = 0; begin < lines.size(); ++number) {
    const std::size_t end = line_end(lines, begin);
    std::string_view line = lines.substr(begin, end - begin);
    if (line.ends_with('\n')) line.remove_suffix(1);
    begin = end;
    if (number <= last_kept_) continue;
    kept_.push_back({number, std::string(line.substr(0, kLongestLine)), 0});
    kept_bytes_ += line.size() + sizeof(RawLine);
    last_kept_ = number;
  }
}

bool Excerpt::is_news(std::string_view line) {
  if (seen_.size() >= kMostKinds) return false;
  return ++seen_[kind_of(line)] <= kTimesEach;
}

void Excerpt::take_windows(std::string_view block) {
  std::size_t cursor = 0;  // where `number` belongs
  std::size_t number = next_number_;
  const auto keep_range = [&](std::size_t begin, std::size_t end) {
    if (begin > cursor) {
      number += count_lines(block.substr(cursor, begin - cursor));
      cursor = begin;
    }
    keep(block.substr(begin, end - begin), number);
  };
  const auto after = [&](std::size_t from, std::size_t lines) {
    std::size_t end = from;
    while (lines > 0 && end < block.size()) {
      end = line_end(block, end);
      --lines;
    }
    lines_owed_ = lines;
    return end;
  };
  std::size_t kept_end = 0;
  if (lines_owed_ > 0) {
    kept_end = after(0, lines_owed_);
    keep_range(0, kept_end);
  }
  std::size_t at = 0;
  while (at < block.size() && kept_bytes_ < kMostBytes) {
    re2::StringPiece hit;
    if (!trouble().Match(re2::StringPiece(block.data(), block.size()), at, block.size(),
                         RE2::UNANCHORED, &hit, 1))
      break;
    const auto place = static_cast<std::size_t>(hit.data() - block.data());
    const std::size_t begin = line_begin(block, place);
    const std::size_t end = line_end(block, place);
    at = end;
    if (!is_news(block.substr(begin, end - begin))) continue;
    std::size_t from = begin;
    for (std::size_t i = 0; i < kLinesBefore && from > kept_end; ++i)
      from = line_begin(block, from - 1);
    from = std::max(from, kept_end);
    kept_end = std::max(kept_end, after(end, kLinesAfter));
    if (from < kept_end) keep_range(from, kept_end);
  }
}

std::vector<RawLine> Excerpt::finish() {
  if (!pending_.empty()) {
    const std::string block = std::exchange(pending_, {});
    take_block(block, true);
  }
  if (last_kept_ + 1 < next_number_) keep(tail_, tail_number_);
  return std::move(kept_);
}

}  // namespace sinter::diagnose::log
