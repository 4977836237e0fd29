#include "sinter/pipeline/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "sinter/base/error.h"
#include "sinter/pipeline/bpe.h"
#include "sinter/pipeline/unicode.h"

namespace sinter::pipeline {

struct Tokenizer::Tables {
  Vocabulary vocabulary;
  std::int64_t start;
  std::int64_t end;
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

// White space, each run of it as one space, and small letters.
std::u32string normalize(std::string_view text) {
  const std::u32string composed = nfc(decode_utf8(text));
  std::u32string spaced;
  spaced.reserve(composed.size());
  for (const char32_t code : composed) {
    if (!is_space(code)) {
      spaced.push_back(code);
    } else if (spaced.empty() || spaced.back() != U' ') {
      spaced.push_back(U' ');
    }
  }
  return to_lower(spaced);
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

// A text without special tokens as written. In small letters they may still appear (from capitals):
// then they are text, but end a run of other characters.
void encode_plain(const Bpe& bpe, std::string_view text, std::vector<std::int64_t>& ids) {
  const std::u32string normalized = normalize(text);
  std::u32string_view rest = normalized;
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

Tokenizer Tokenizer::clip(Padding padding) {
  static const std::shared_ptr<const Tables> tables = [] {
    Vocabulary vocabulary = clip_vocabulary();
    const Bpe::Vocabulary ids = ids_of(vocabulary);
    const std::int64_t end = id_of(ids, kEndToken);
    Bpe bpe(ids, vocabulary.merges, static_cast<std::int32_t>(end));
    return std::make_shared<const Tables>(
        Tables{std::move(vocabulary), id_of(ids, kStartToken), end, std::move(bpe)});
  }();
  return Tokenizer(tables, padding == Padding::kZero ? 0 : tables->end);
}

Tokenizer Tokenizer::open(const std::filesystem::path& folder) {
  Vocabulary vocabulary = read_vocabulary(folder);
  try {
    const Bpe::Vocabulary ids = ids_of(vocabulary);
    const std::int64_t end = id_of(ids, kEndToken);
    const std::int64_t padding = id_of(ids, vocabulary.padding);
    Bpe bpe(ids, vocabulary.merges, static_cast<std::int32_t>(end));
    return Tokenizer(std::make_shared<const Tables>(Tables{
                         std::move(vocabulary), id_of(ids, kStartToken), end, std::move(bpe)}),
                     padding);
  } catch (Error& error) {
    error.add_context(fmt::format("reading the tokenizer in {}", folder.string()));
    throw;
  }
}

std::vector<std::int64_t> Tokenizer::encode(std::string_view text) const {
  const std::array<std::pair<std::string_view, std::int64_t>, 2> special{
      {{kStartToken, tables_->start}, {kEndToken, tables_->end}}};
  std::vector<std::int64_t> ids;
  while (!text.empty()) {
    std::size_t first = text.size();
    std::optional<std::pair<std::string_view, std::int64_t>> found;
    for (const auto& token : special) {
      const std::size_t at = text.find(token.first);
      if (at >= first) continue;
      first = at;
      found = token;
    }
    encode_plain(tables_->bpe, text.substr(0, first), ids);
    if (!found) break;
    ids.push_back(found->second);
    text.remove_prefix(first + found->first.size());
  }
  return ids;
}

std::vector<TokenWindow> Tokenizer::windows(std::string_view text, std::size_t at_least) const {
  const std::vector<std::int64_t> ids = encode(text);
  const std::size_t count =
      std::max({std::size_t{1}, at_least, (ids.size() + kWindowText - 1) / kWindowText});
  std::vector<TokenWindow> result;
  result.reserve(count);
  for (std::size_t window = 0; window < count; ++window) {
    TokenWindow row{tables_->start};
    const std::size_t begin = std::min(window * kWindowText, ids.size());
    const std::size_t end = std::min(begin + kWindowText, ids.size());
    row.insert(row.end(), ids.begin() + static_cast<std::ptrdiff_t>(begin),
               ids.begin() + static_cast<std::ptrdiff_t>(end));
    row.push_back(tables_->end);
    row.resize(kWindow, padding_id_);
    result.push_back(std::move(row));
  }
  return result;
}

std::int64_t Tokenizer::start_id() const { return tables_->start; }
std::int64_t Tokenizer::end_id() const { return tables_->end; }
std::int64_t Tokenizer::padding_id() const { return padding_id_; }
std::size_t Tokenizer::vocabulary_size() const { return tables_->vocabulary.tokens.size(); }

std::vector<VocabularyFile> Tokenizer::files() const {
  Vocabulary vocabulary = tables_->vocabulary;
  vocabulary.padding = vocabulary.tokens[static_cast<std::size_t>(padding_id_)];
  return vocabulary_files(vocabulary);
}

}  // namespace sinter::pipeline
