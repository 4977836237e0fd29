#include "sinter/pipeline/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/pipeline/tokenizer.h"

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): symbols of the assembler file
extern const char sinter_clip_merges[];
extern const char sinter_clip_merges_end[];
// NOLINTEND(readability-identifier-naming)
}

namespace sinter::pipeline {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// A larger id than any tokenizer has; a damaged file must not allocate.
constexpr std::int64_t kMaxTokens = 1 << 20;

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

std::vector<std::string> parse_tokens(const std::string& text) {
  const nlohmann::json root = nlohmann::json::parse(text);
  if (!root.is_object()) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("the vocabulary is a JSON {}, expected an object of token: id",
                            root.type_name()));
  }
  std::vector<std::string> tokens;
  for (const auto& [token, value] : root.items()) {
    const std::int64_t id = value.is_number_integer() ? value.get<std::int64_t>() : -1;
    if (id < 0 || id >= kMaxTokens) {
      throw Error(ErrorCode::kBadFile, fmt::format("token '{}' has the id {}, expected 0 to {}",
                                                   token, value.dump(), kMaxTokens - 1));
    }
    if (tokens.size() <= static_cast<std::size_t>(id))
      tokens.resize(static_cast<std::size_t>(id) + 1);
    tokens[static_cast<std::size_t>(id)] = token;
  }
  return tokens;
}

// "pad_token" is a string, or an object with its "content".
std::string padding_of(const fs::path& folder) {
  for (const char* name : {"tokenizer_config.json", "special_tokens_map.json"}) {
    if (!fs::exists(folder / name)) continue;
    const nlohmann::json root = nlohmann::json::parse(read_text(folder / name));
    const auto found = root.is_object() ? root.find("pad_token") : root.end();
    if (found == root.end()) continue;
    if (found->is_string()) return found->get<std::string>();
    if (found->is_object() && found->contains("content") && (*found)["content"].is_string())
      return (*found)["content"].get<std::string>();
  }
  return kEndToken;
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

Vocabulary read_vocabulary(const fs::path& folder) {
  Vocabulary result;
  const std::string tokens = read_text(folder / "vocab.json");
  const std::string merges = read_text(folder / "merges.txt");
  try {
    result.tokens = parse_tokens(tokens);
    result.merges = parse_merges(merges);
    result.padding = padding_of(folder);
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
    if (id != 0) tokens += ", ";
    tokens.append(quoted(vocabulary.tokens[id])).append(": ").append(std::to_string(id));
  }
  tokens += "}\n";

  std::string merges = "#version: 0.2\n";
  for (const auto& [left, right] : vocabulary.merges)
    merges.append(left).append(" ").append(right).append("\n");

  const Json config{{"add_prefix_space", false},
                    {"bos_token", kStartToken},
                    {"do_lower_case", true},
                    {"eos_token", kEndToken},
                    {"errors", "replace"},
                    {"model_max_length", Tokenizer::kWindow},
                    {"pad_token", vocabulary.padding},
                    {"tokenizer_class", "CLIPTokenizer"},
                    {"unk_token", kEndToken}};
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
