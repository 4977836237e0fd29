#include "sinter/pipeline/tokenizer_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "sinter/base/error.h"
#include "sinter/pipeline/vocabulary_json.h"

namespace sinter::pipeline {
namespace {

using Json = nlohmann::json;

std::string text_of(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

const Json& member(const Json& object, const char* key) {
  static const Json kNothing;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() ? kNothing : *found;
}

/// BPE, WordPiece, Unigram (T5), ...: CLIP's is the one with "</w>" at a word's end.
void require_clip(const Json& model) {
  const std::string type = text_of(model, "type");
  const std::string suffix = text_of(model, "end_of_word_suffix");
  // Old files leave the type out; only BPE has merges.
  const bool bpe = type == "BPE" || (type.empty() && model.is_object() && model.contains("merges"));
  if (bpe && suffix == "</w>") return;
  const std::string found = type.empty() ? "no tokenizer that has a type"
                            : bpe        ? fmt::format("BPE with '{}' at a word's end", suffix)
                                         : fmt::format("a {} tokenizer", type);
  throw Error(
      ErrorCode::kUnsupported,
      fmt::format("tokenizer.json holds {}, expected CLIP's: BPE with '</w>' at a word's end",
                  found),
      "this is not the tokenizer of a CLIP text encoder");
}

/// "a b", or since tokenizers 0.20 ["a", "b"].
Bpe::Merges merges_of(const Json& model) {
  Bpe::Merges merges;
  for (const Json& merge : member(model, "merges")) {
    if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
      merges.emplace_back(merge[0].get<std::string>(), merge[1].get<std::string>());
      continue;
    }
    const std::string pair = merge.is_string() ? merge.get<std::string>() : std::string();
    const std::size_t space = pair.find(' ');
    if (space == pair.npos) {
      throw Error(ErrorCode::kBadFile,
                  fmt::format("merge {} of tokenizer.json is {}, expected two tokens",
                              merges.size(), merge.dump()));
    }
    merges.emplace_back(pair.substr(0, space), pair.substr(space + 1));
  }
  return merges;
}

}  // namespace

Vocabulary read_tokenizer_json(std::string_view text) {
  const Json root = Json::parse(text);
  const Json& model = member(root, "model");
  require_clip(model);
  Vocabulary result;
  result.tokens = tokens_of(member(model, "vocab"));
  result.merges = merges_of(model);
  for (const Json& token : member(root, "added_tokens"))
    result.added.push_back(added_token_of(token, member(token, "id")));
  result.padding = text_of(member(root, "padding"), "pad_token");
  return result;
}

}  // namespace sinter::pipeline
