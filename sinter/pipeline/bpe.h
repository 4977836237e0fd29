#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sinter::pipeline {

/// Byte-pair encoding of words over bytes, with "</w>" at a word's end.
///
/// Immutable once built; any number of threads may encode.
/// Source: Sennrich et al. 2016 (arXiv 1508.07909); bytes as in Radford et al. 2019 (GPT-2).
class Bpe {
 public:
  using Vocabulary = std::unordered_map<std::string, std::int32_t>;
  using Merges = std::vector<std::pair<std::string, std::string>>;

  /// The merges in order of rank; what they join and give must be in the vocabulary. Bytes that the
  /// vocabulary lacks become `unknown`.
  /// @throws Error{kBadFile} naming the merge otherwise.
  Bpe(const Vocabulary& vocabulary, const Merges& merges, std::int32_t unknown);

  /// Appends the ids of one word (a run of bytes).
  void encode(std::string_view word, std::vector<std::int64_t>& ids) const;

 private:
  struct Merge {
    std::int32_t rank;
    std::int32_t id;
  };

  const Merge* find(std::int32_t left, std::int32_t right) const;

  std::array<std::int32_t, 256> inner_{};  // id of a byte inside a word
  std::array<std::int32_t, 256> last_{};   // id of a byte at its end
  std::unordered_map<std::uint64_t, Merge> merges_;
};

/// The printable character that stands for a byte in the vocabulary's spelling, as UTF-8.
std::string byte_symbol(std::uint8_t byte);

/// All bytes in the order of the CLIP vocabulary: the printable ones first.
std::array<std::uint8_t, 256> vocabulary_byte_order();

}  // namespace sinter::pipeline
