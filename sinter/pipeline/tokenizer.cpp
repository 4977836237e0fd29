#include "sinter/pipeline/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sinter/base/error.h"
#include "sinter/pipeline/bpe.h"
#include "sinter/pipeline/unicode.h"

namespace sinter::pipeline {

struct Tokenizer::Tables {
  Vocabulary vocabulary;
  std::int64_t start;
  std::int64_t end;
  std::vector<Marker> as_written;  // looked for in the text itself, start and end among them
  std::vector<Marker> normalized;  // looked for in the normalized text
  Bpe bpe;
};

namespace {

Bpe::Vocabulary ids_of(const Vocabulary& vocabulary) {
  Bpe::Vocabulary ids;
  ids.reserve(vocabulary.tokens.size());
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id)
    ids.emplace(vocabulary.tokens[id], static_cast<std::int32_t>(id));
  return ids;
}

std::int64_t id_of(const Bpe::Vocabulary& ids, const std::string& token) {
  const auto found = ids.find(token);
  if (found == ids.end()) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("the vocabulary of {} tokens has no '{}'", ids.size(), token),
                "this is not the vocabulary of a CLIP text encoder");
  }
  return found->second;
}

constexpr std::array<std::u32string_view, 7> kContractions{U"'s", U"'t",  U"'re", U"'ve",
                                                           U"'m", U"'ll", U"'d"};
constexpr std::array<std::u32string_view, 2> kSpecial{U"<|startoftext|>", U"<|endoftext|>"};

template <std::size_t N>
std::size_t literal_length(std::u32string_view text,
                           const std::array<std::u32string_view, N>& literals) {
  for (const std::u32string_view literal : literals)
    if (text.starts_with(literal)) return literal.size();
  return 0;
}

bool is_other(char32_t code) { return !is_space(code) && !is_letter(code) && !is_number(code); }

std::size_t run_length(std::u32string_view text, bool (*in_run)(char32_t)) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, in_run) - text.begin());
}

// The next word of a normalized text, without the spaces before it; the order of the cases is that
// of the pattern's alternatives. Empty at the end.
std::u32string_view next_word(std::u32string_view& text) {
  text.remove_prefix(run_length(text, is_space));
  if (text.empty()) return {};
  std::size_t length = literal_length(text, kContractions);
  if (length == 0) length = run_length(text, is_letter);
  if (length == 0 && is_number(text.front())) length = 1;
  if (length == 0) length = run_length(text, is_other);
  const std::u32string_view word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

std::string utf8(std::u32string_view text) {
  std::string result;
  for (const char32_t code : text) append_utf8(result, code);
  return result;
}

// A normalized text without markers. Start and end may still appear (from capitals): then they are
// text, but end a run of other characters.
void encode_words(const Bpe& bpe, std::u32string_view rest, std::vector<std::int64_t>& ids) {
  while (true) {
    rest.remove_prefix(run_length(rest, is_space));
    const std::size_t special = literal_length(rest, kSpecial);
    if (special == 0) {
      const std::u32string_view word = next_word(rest);
      if (word.empty()) return;
      bpe.encode(utf8(word), ids);
      continue;
    }
    std::u32string_view literal = rest.substr(0, special);
    rest.remove_prefix(special);
    while (!literal.empty()) bpe.encode(utf8(next_word(literal)), ids);
  }
}

}  // namespace

Tokenizer::Tokenizer(std::shared_ptr<const Tables> tables, std::int64_t padding_id)
    : tables_(std::move(tables)), padding_id_(padding_id) {}

std::shared_ptr<const Tokenizer::Tables> Tokenizer::tables_of(Vocabulary vocabulary) {
  const Bpe::Vocabulary ids = ids_of(vocabulary);
  const std::int64_t start = id_of(ids, kStartToken);
  const std::int64_t end = id_of(ids, kEndToken);
  std::vector<Marker> as_written{{decode_utf8(kStartToken), {start}, false},
                                 {decode_utf8(kEndToken), {end}, false}};
  std::vector<Marker> normalized;
  const TokenIds added = token_ids(vocabulary.added);
  for (const AddedToken& token : vocabulary.added) {
    const std::u32string content = decode_utf8(token.content);
    std::vector<std::int64_t> tokens = run_of(token, added);
    if (token.normalized) {
      normalized.push_back({normalize(content), std::move(tokens), token.single_word});
    } else {
      as_written.push_back({content, std::move(tokens), token.single_word});
    }
  }
  Bpe bpe(ids, vocabulary.merges, static_cast<std::int32_t>(end));
  return std::make_shared<const Tables>(Tables{.vocabulary = std::move(vocabulary),
                                               .start = start,
                                               .end = end,
                                               .as_written = std::move(as_written),
                                               .normalized = std::move(normalized),
                                               .bpe = std::move(bpe)});
}

Tokenizer Tokenizer::clip(Padding padding) {
  static const std::shared_ptr<const Tables> tables = tables_of(clip_vocabulary());
  return Tokenizer(tables, padding == Padding::kZero ? 0 : tables->end);
}

Tokenizer Tokenizer::open(const std::filesystem::path& folder) {
  Vocabulary vocabulary = read_vocabulary(folder);
  try {
    const auto added =
        std::ranges::find(vocabulary.added, vocabulary.padding, &AddedToken::content);
    const std::int64_t padding =
        added != vocabulary.added.end() ? added->id : id_of(ids_of(vocabulary), vocabulary.padding);
    return Tokenizer(tables_of(std::move(vocabulary)), padding);
  } catch (Error& error) {
    error.add_context(fmt::format("reading the tokenizer in {}", folder.string()));
    throw;
  }
}

Tokenizer::Units Tokenizer::units(std::string_view text) const {
  Units units;
  const auto found = [&](const Marker& marker) {
    for (const std::int64_t id : marker.ids) {
      units.ids.push_back(id);
      units.joined.push_back(id != marker.ids.front());
    }
  };
  const auto words = [&](std::u32string_view plain) {
    encode_words(tables_->bpe, plain, units.ids);
    units.joined.resize(units.ids.size(), false);
  };
  split_at_markers(
      decode_utf8(text), tables_->as_written,
      [&](std::u32string_view plain) {
        split_at_markers(normalize(plain), tables_->normalized, words, found);
      },
      found);
  return units;
}

std::vector<std::int64_t> Tokenizer::encode(std::string_view text) const { return units(text).ids; }

std::size_t Tokenizer::window_end(const Units& units, std::size_t begin) {
  const std::size_t full = std::min(begin + kWindowText, units.ids.size());
  if (full == units.ids.size()) return full;
  std::size_t end = full;
  while (end > begin && units.joined[end]) --end;
  return end == begin ? full : end;  // more vectors than a window holds
}

std::vector<TokenWindow> Tokenizer::windows(std::string_view text, std::size_t at_least) const {
  const Units all = units(text);
  std::vector<TokenWindow> result;
  std::size_t begin = 0;
  while (begin < all.ids.size() || result.size() < std::max<std::size_t>(at_least, 1)) {
    const std::size_t end = window_end(all, begin);
    TokenWindow row{tables_->start};
    row.insert(row.end(), all.ids.begin() + static_cast<std::ptrdiff_t>(begin),
               all.ids.begin() + static_cast<std::ptrdiff_t>(end));
    row.push_back(tables_->end);
    row.resize(kWindow, padding_id_);
    result.push_back(std::move(row));
    begin = end;
  }
  return result;
}

std::int64_t Tokenizer::start_id() const { return tables_->start; }
std::int64_t Tokenizer::end_id() const { return tables_->end; }
std::int64_t Tokenizer::padding_id() const { return padding_id_; }
std::size_t Tokenizer::vocabulary_size() const {
  std::size_t size = tables_->vocabulary.tokens.size();
  for (const AddedToken& token : tables_->vocabulary.added)
    size = std::max(size, static_cast<std::size_t>(token.id) + 1);
  return size;
}

std::vector<VocabularyFile> Tokenizer::files() const {
  Vocabulary vocabulary = tables_->vocabulary;
  const auto added = std::ranges::find(vocabulary.added, padding_id_, &AddedToken::id);
  vocabulary.padding = added != vocabulary.added.end()
                           ? added->content
                           : vocabulary.tokens[static_cast<std::size_t>(padding_id_)];
  return vocabulary_files(vocabulary);
}

}  // namespace sinter::pipeline
