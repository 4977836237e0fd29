#include "sinter/pipeline/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/pipeline/tokenizer.h"
#include "sinter/pipeline/tokenizer_json.h"
#include "sinter/pipeline/vocabulary_json.h"

extern "C" {
// NOLINTNEXTLINE(readability-identifier-naming): a symbol of the assembler file
extern const char sinter_clip_merges[];
// NOLINTNEXTLINE(readability-identifier-naming): a symbol of the assembler file
extern const char sinter_clip_merges_end[];
}

namespace sinter::pipeline {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Lines "left right"; a first line "#version" and empty lines count for nothing.
Bpe::Merges parse_merges(std::string_view text) {
  Bpe::Merges merges;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
    const std::size_t space = line.find(' ');
    if (space == 0 || space == std::string_view::npos || space + 1 == line.size() ||
        line.find(' ', space + 1) != std::string_view::npos) {
      throw Error(ErrorCode::kBadFile,
                  fmt::format("line {} of the merges is '{}', expected two tokens with a space "
                              "between",
                              number, line));
    }
    merges.emplace_back(line.substr(0, space), line.substr(space + 1));
  }
  return merges;
}

/// A JSON file of the folder; null where there is none.
nlohmann::json read_json(const fs::path& path) {
  return fs::exists(path) ? nlohmann::json::parse(read_text(path)) : nlohmann::json();
}

/// "pad_token" is a string, or an object with its "content". Empty where the files say nothing.
std::string padding_of(const fs::path& folder) {
  for (const char* name : {"tokenizer_config.json", "special_tokens_map.json"}) {
    const nlohmann::json root = read_json(folder / name);
    const auto found = root.is_object() ? root.find("pad_token") : root.end();
    if (found == root.end()) continue;
    if (found->is_string()) return found->get<std::string>();
    if (found->is_object() && found->contains("content") && (*found)["content"].is_string())
      return (*found)["content"].get<std::string>();
  }
  return {};
}

/// Beside vocab.json: "added_tokens_decoder" of tokenizer_config.json, and added_tokens.json, which
/// knows ids only.
std::vector<AddedToken> added_tokens(const fs::path& folder) {
  std::vector<AddedToken> added;
  const nlohmann::json config = read_json(folder / "tokenizer_config.json");
  if (config.is_object() && config.contains("added_tokens_decoder")) {
    for (const auto& [id, token] : config["added_tokens_decoder"].items())
      added.push_back(added_token_of(token, nlohmann::json::parse(id, nullptr, false)));
  }
  const nlohmann::json ids = read_json(folder / "added_tokens.json");
  for (const auto& [content, id] : ids.items()) {
    const bool known = std::ranges::any_of(
        added, [&](const AddedToken& token) { return token.content == content; });
    if (!known) {
      added.push_back({.content = content,
                       .id = checked_id(content, id),
                       .normalized = true,
                       .single_word = false});
    }
  }
  return added;
}

/// Puts start and end, which are no ordinary added tokens, where the tokenizer looks for them;
/// leaves out a padding token that is a letter of the vocabulary ("!"): in a text it is that
/// letter.
void settle(Vocabulary& vocabulary) {
  if (vocabulary.padding.empty()) vocabulary.padding = kEndToken;
  std::erase_if(vocabulary.added, [&](const AddedToken& token) {
    const auto id = static_cast<std::size_t>(token.id);
    if (token.content == kStartToken || token.content == kEndToken) {
      if (vocabulary.tokens.size() <= id) vocabulary.tokens.resize(id + 1);
      vocabulary.tokens[id] = token.content;
      return true;
    }
    return token.content == vocabulary.padding && id < vocabulary.tokens.size() &&
           vocabulary.tokens[id] == token.content;
  });
  std::ranges::sort(vocabulary.added, {}, &AddedToken::id);
}

}  // namespace

Vocabulary clip_vocabulary() {
  Vocabulary result;
  result.merges = parse_merges({sinter_clip_merges, sinter_clip_merges_end});
  for (const char* end : {"", "</w>"})
    for (const std::uint8_t byte : vocabulary_byte_order())
      result.tokens.push_back(byte_symbol(byte) + end);
  for (const auto& [left, right] : result.merges) result.tokens.push_back(left + right);
  result.tokens.emplace_back(kStartToken);
  result.tokens.emplace_back(kEndToken);
  result.padding = kEndToken;
  return result;
}

bool has_vocabulary(const fs::path& folder) {
  return fs::exists(folder / "vocab.json") || fs::exists(folder / "tokenizer.json");
}

Vocabulary read_vocabulary(const fs::path& folder) {
  Vocabulary result;
  try {
    if (fs::exists(folder / "vocab.json") || !fs::exists(folder / "tokenizer.json")) {
      result.tokens = tokens_of(nlohmann::json::parse(read_text(folder / "vocab.json")));
      result.merges = parse_merges(read_text(folder / "merges.txt"));
      result.added = added_tokens(folder);
    } else {
      result = read_tokenizer_json(read_text(folder / "tokenizer.json"));
    }
    if (const std::string padding = padding_of(folder); !padding.empty()) result.padding = padding;
    settle(result);
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::kBadFile, fmt::format("the tokenizer in {} has damaged JSON: {}",
                                                 folder.string(), error.what()));
  } catch (Error& error) {
    error.add_context(fmt::format("reading the tokenizer in {}", folder.string()));
    throw;
  }
  return result;
}

namespace {

// Nearly every token stands for itself between quotes; building JSON values of 49408 takes longer
// than a conversion.
std::string quoted(const std::string& token) {
  const bool plain = std::ranges::none_of(
      token, [](char c) { return c == '"' || c == '\\' || (c >= 0 && c < ' ') || c == '\x7f'; });
  return plain ? '"' + token + '"' : Json(token).dump();
}

}  // namespace

std::vector<VocabularyFile> vocabulary_files(const Vocabulary& vocabulary) {
  std::string tokens = "{";
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    if (vocabulary.tokens[id].empty()) continue;  // an id without a token
    if (tokens.size() > 1) tokens += ", ";
    tokens.append(quoted(vocabulary.tokens[id])).append(": ").append(std::to_string(id));
  }
  tokens += "}\n";

  std::string merges = "#version: 0.2\n";
  for (const auto& [left, right] : vocabulary.merges)
    merges.append(left).append(" ").append(right).append("\n");

  Json config{{"add_prefix_space", false},
              {"bos_token", kStartToken},
              {"do_lower_case", true},
              {"eos_token", kEndToken},
              {"errors", "replace"},
              {"model_max_length", Tokenizer::kWindow},
              {"pad_token", vocabulary.padding},
              {"tokenizer_class", "CLIPTokenizer"},
              {"unk_token", kEndToken}};
  for (const AddedToken& token : vocabulary.added) {
    config["added_tokens_decoder"][std::to_string(token.id)] = {
        {"content", token.content},         {"lstrip", false},
        {"normalized", token.normalized},   {"rstrip", false},
        {"single_word", token.single_word}, {"special", false}};
  }
  const Json special{{"bos_token", kStartToken},
                     {"eos_token", kEndToken},
                     {"pad_token", vocabulary.padding},
                     {"unk_token", kEndToken}};
  return {{"vocab.json", std::move(tokens)},
          {"merges.txt", std::move(merges)},
          {"tokenizer_config.json", config.dump(2) + "\n"},
          {"special_tokens_map.json", special.dump(2) + "\n"}};
}

}  // namespace sinter::pipeline
