#include "sinter/pipeline/bpe.h"

#include <fmt/format.h>

#include <queue>

#include "sinter/base/error.h"
#include "sinter/pipeline/unicode.h"

namespace sinter::pipeline {
namespace {

constexpr std::string_view kWordEnd = "</w>";

bool is_printable(int byte) {
  return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
}

std::uint64_t pair_key(std::int32_t left, std::int32_t right) {
  return (std::uint64_t{static_cast<std::uint32_t>(left)} << 32) |
         static_cast<std::uint32_t>(right);
}

// A symbol of the word while it is merged; neighbours by index, -1 at the ends.
struct Symbol {
  std::int32_t id;
  int previous;
  int next;
  bool live;
};

// The best merge is the one of the lowest rank, the leftmost of equals.
struct Candidate {
  std::int32_t rank;
  int position;
  std::int32_t left;
  std::int32_t right;
  std::int32_t id;

  bool operator<(const Candidate& other) const {  // std::priority_queue gives the largest
    return std::pair(rank, position) > std::pair(other.rank, other.position);
  }
};

}  // namespace

std::string byte_symbol(std::uint8_t byte) {
  char32_t code = byte;
  if (!is_printable(byte)) {
    code = 256;
    for (int before = 0; before < byte; ++before) code += is_printable(before) ? 0u : 1u;
  }
  std::string text;
  append_utf8(text, code);
  return text;
}

std::array<std::uint8_t, 256> vocabulary_byte_order() {
  std::array<std::uint8_t, 256> order{};
  std::size_t count = 0;
  for (const bool printable : {true, false}) {
    for (int byte = 0; byte < 256; ++byte)
      if (is_printable(byte) == printable) order[count++] = static_cast<std::uint8_t>(byte);
  }
  return order;
}

Bpe::Bpe(const Vocabulary& vocabulary, const Merges& merges, std::int32_t unknown) {
  const auto id_or_unknown = [&](const std::string& token) {
    const auto found = vocabulary.find(token);
    return found == vocabulary.end() ? unknown : found->second;
  };
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const std::string symbol = byte_symbol(static_cast<std::uint8_t>(byte));
    inner_[byte] = id_or_unknown(symbol);
    last_[byte] = id_or_unknown(symbol + std::string(kWordEnd));
  }

  merges_.reserve(merges.size());
  std::int32_t rank = 0;
  for (const auto& [left, right] : merges) {
    const auto id_of = [&](const std::string& token) {
      const auto found = vocabulary.find(token);
      if (found == vocabulary.end()) {
        throw Error(ErrorCode::kBadFile,
                    fmt::format("merge {} ('{} {}') needs the token '{}', which is not in the "
                                "vocabulary of {} tokens",
                                rank, left, right, token, vocabulary.size()),
                    "vocab.json and merges.txt belong to different tokenizers");
      }
      return found->second;
    };
    const std::int32_t left_id = id_of(left);
    const std::int32_t right_id = id_of(right);
    merges_.insert_or_assign(pair_key(left_id, right_id), Merge{rank, id_of(left + right)});
    ++rank;
  }
}

const Bpe::Merge* Bpe::find(std::int32_t left, std::int32_t right) const {
  const auto found = merges_.find(pair_key(left, right));
  return found == merges_.end() ? nullptr : &found->second;
}

void Bpe::encode(std::string_view word, std::vector<std::int64_t>& ids) const {
  const int count = static_cast<int>(word.size());
  std::vector<Symbol> symbols;
  symbols.reserve(word.size());
  for (int i = 0; i < count; ++i) {
    const auto byte = static_cast<std::uint8_t>(word[static_cast<std::size_t>(i)]);
    const bool is_last = i + 1 == count;
    symbols.push_back({is_last ? last_[byte] : inner_[byte], i - 1, is_last ? -1 : i + 1, true});
  }
  const auto at = [&](int index) -> Symbol& { return symbols[static_cast<std::size_t>(index)]; };

  // A queue, not repeated scans: a "word" may be a megabyte of letters.
  std::priority_queue<Candidate> queue;
  const auto offer = [&](int left) {
    if (left < 0 || at(left).next < 0) return;
    const std::int32_t right_id = at(at(left).next).id;
    if (const Merge* merge = find(at(left).id, right_id))
      queue.push({merge->rank, left, at(left).id, right_id, merge->id});
  };
  for (int i = 0; i + 1 < count; ++i) offer(i);
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    Symbol& left = at(best.position);
    if (!left.live || left.id != best.left || left.next < 0 || at(left.next).id != best.right)
      continue;  // one of the two was merged away meanwhile
    Symbol& right = at(left.next);
    right.live = false;
    left.id = best.id;
    left.next = right.next;
    if (left.next >= 0) at(left.next).previous = best.position;
    offer(left.previous);
    offer(best.position);
  }
  for (const Symbol& symbol : symbols)
    if (symbol.live) ids.push_back(symbol.id);
}

}  // namespace sinter::pipeline
