#include "sinter/pipeline/embedding_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/base/message.h"
#include "sinter/base/utf8.h"
#include "sinter/pipeline/added_tokens.h"
#include "sinter/pipeline/unicode.h"

namespace sinter::pipeline {
namespace {

AddedToken token_of(std::string content, std::int64_t id) {
  const std::u32string codes = decode_utf8(content);
  const bool word = in_word(codes.front()) && in_word(codes.back());
  return {.content = std::move(content), .id = id, .normalized = true, .single_word = word};
}

void require_name(const std::string& name) {
  const std::u32string codes = decode_utf8(name);
  const bool spaces = std::ranges::all_of(codes, is_space);
  const bool control = std::ranges::any_of(codes, [](char32_t code) { return code < U' '; });
  const bool utf8 = utf8_length(std::as_bytes(std::span(name))) == name.size();
  if (!spaces && !control && utf8 && name != kStartToken && name != kEndToken) return;
  throw Error(ErrorCode::kUsage,
              fmt::format("'{}' cannot be the name of an embedding", shown(name)),
              "--embedding FILE:NAME gives it another");
}

bool same_name(const std::string& a, const std::string& b) {
  return normalize(decode_utf8(a)) == normalize(decode_utf8(b));
}

[[noreturn]] void refuse_taken(const std::string& name, const std::string& by) {
  throw Error(ErrorCode::kUsage,
              fmt::format("the embedding '{}' would be taken for the token '{}', which is there "
                          "already",
                          shown(name), shown(by)),
              "--embedding FILE:NAME gives it another name");
}

}  // namespace

void add_embedding(Vocabulary& vocabulary, const std::string& name, std::int64_t first_id,
                   std::int64_t vectors) {
  require_name(name);
  std::vector<AddedToken> own;
  for (std::int64_t i = 0; i < vectors; ++i)
    own.push_back(token_of(i == 0 ? name : fmt::format("{}_{}", name, i), first_id + i));
  std::vector<AddedToken> all = vocabulary.added;
  std::ranges::copy(own, std::back_inserter(all));
  const TokenIds before = token_ids(vocabulary.added);
  const TokenIds after = token_ids(all);
  for (const AddedToken& other : vocabulary.added) {
    const bool taken = std::ranges::any_of(
        own, [&](const AddedToken& token) { return same_name(token.content, other.content); });
    // The other's vectors would go on with ours.
    const bool longer = run_of(other, after).size() != run_of(other, before).size();
    if (taken || longer) refuse_taken(name, other.content);
  }
  // Ours would go on with the other's.
  if (run_of(own.front(), after).size() != own.size())
    refuse_taken(name, fmt::format("{}_{}", name, vectors));
  vocabulary.added = std::move(all);
}

bool mentions(std::string_view text, std::string_view name) {
  if (name.empty()) return false;
  const AddedToken token = token_of(std::string(name), 0);
  const Marker marker{normalize(decode_utf8(name)), {}, token.single_word};
  return occurs(normalize(decode_utf8(text)), marker);
}

}  // namespace sinter::pipeline
