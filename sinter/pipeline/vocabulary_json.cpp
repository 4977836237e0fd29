#include "sinter/pipeline/vocabulary_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sinter/base/error.h"

namespace sinter::pipeline {
namespace {

// A larger id than any tokenizer has; a damaged file must not allocate.
constexpr std::int64_t kMaxTokens = 1 << 20;

}  // namespace

std::int64_t checked_id(const std::string& token, const nlohmann::json& id) {
  const std::int64_t number = id.is_number_integer() ? id.get<std::int64_t>() : -1;
  if (number >= 0 && number < kMaxTokens) return number;
  throw Error(ErrorCode::kBadFile, fmt::format("token '{}' has the id {}, expected 0 to {}", token,
                                               id.dump(), kMaxTokens - 1));
}

std::vector<std::string> tokens_of(const nlohmann::json& vocabulary) {
  if (!vocabulary.is_object()) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("the vocabulary is a JSON {}, expected an object of token: id",
                            vocabulary.type_name()));
  }
  std::vector<std::string> tokens;
  for (const auto& [token, value] : vocabulary.items()) {
    const auto id = static_cast<std::size_t>(checked_id(token, value));
    if (tokens.size() <= id) tokens.resize(id + 1);
    tokens[id] = token;
  }
  return tokens;
}

AddedToken added_token_of(const nlohmann::json& object, const nlohmann::json& id) {
  const auto content = object.is_object() ? object.find("content") : object.end();
  if (content == object.end() || !content->is_string() || content->get<std::string>().empty()) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("an added token is {}, expected its content", object.dump()));
  }
  const auto flag = [&](const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_boolean() && found->get<bool>();
  };
  return {.content = *content,
          .id = checked_id(*content, id),
          .normalized = flag("normalized"),
          .single_word = flag("single_word")};
}

}  // namespace sinter::pipeline
