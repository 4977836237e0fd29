#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/pipeline/vocabulary.h"

namespace sinter::pipeline {

/// Ids of one run of a text encoder: start, 75 places, end.
using TokenWindow = std::vector<std::int64_t>;

/// What fills a window behind the end of the text. CLIP-L was trained with the end token, the
/// OpenCLIP towers (SD2, SDXL's second encoder) with 0.
enum class Padding { kEnd, kZero };

/// The CLIP tokenizer: text -> ids, as transformers' CLIPTokenizer gives them.
///
/// Normalization (NFC, white space to one space, lower case a code point at a time), special and
/// added tokens inside the text, words by CLIP's pattern, byte-pair encoding. Bytes that are not
/// UTF-8 count as U+FFFD. A "!" in the text is the token "!</w>" also where "!" is the padding
/// token, as the OpenCLIP towers were trained (transformers makes it the padding token there).
/// Immutable; any number of threads may use one. Copies share the tables.
class Tokenizer {
 public:
  static constexpr std::size_t kWindow = 77;
  static constexpr std::size_t kWindowText = kWindow - 2;

  /// The vocabulary that CLIP and OpenCLIP share, built in: 49408 tokens.
  static Tokenizer clip(Padding padding = Padding::kEnd);

  /// A tokenizer folder, as read_vocabulary reads it.
  /// @throws as read_vocabulary; Error{kBadFile} where start, end or padding are not in it.
  static Tokenizer open(const std::filesystem::path& folder);

  /// Ids without start, end or padding, of any number.
  std::vector<std::int64_t> encode(std::string_view text) const;

  /// The text in windows of 77, broken wherever a window is full, but not between the vectors of
  /// one embedding where a window can hold them; at least `at_least` of them (and
  /// at least one), the last ones without text.
  std::vector<TokenWindow> windows(std::string_view text, std::size_t at_least = 1) const;

  std::int64_t start_id() const;
  std::int64_t end_id() const;
  std::int64_t padding_id() const;
  std::size_t vocabulary_size() const;  // one more than the largest id

  /// The files of its folder (vocab.json, merges.txt, tokenizer_config.json,
  /// special_tokens_map.json), from which transformers and open() make the same tokenizer.
  std::vector<VocabularyFile> files() const;

 private:
  struct Tables;
  /// Ids of a text; joined: of an embedding, and not the first of it.
  struct Units {
    std::vector<std::int64_t> ids;
    std::vector<bool> joined;
  };
  Units units(std::string_view text) const;
  static std::size_t window_end(const Units& units, std::size_t begin);

  explicit Tokenizer(std::shared_ptr<const Tables> tables, std::int64_t padding_id);
  static std::shared_ptr<const Tables> tables_of(Vocabulary vocabulary);

  // Shared by copies, and by all built-in tokenizers: parsing 48894 merges takes longer than a
  // prompt.
  std::shared_ptr<const Tables> tables_;
  std::int64_t padding_id_;
};

}  // namespace sinter::pipeline
