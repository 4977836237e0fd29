#include "sinter/pipeline/tokenizer_json.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/pipeline/tokenizer.h"

namespace sinter::pipeline {
namespace {
namespace fs = std::filesystem;

// Tokenizers of one tokenizer.json as transformers 5.24 saves them, with the ids that it gives
// (tests/golden/make_folder_files.py).
fs::path golden(const std::string& name) {
  return fs::path(SINTER_TEST_DATA) / "pipeline/tokenizer_json" / name;
}

void expect_ids(const Tokenizer& tokenizer, const nlohmann::json& expected) {
  EXPECT_EQ(tokenizer.padding_id(), expected["pad"]);
  EXPECT_EQ(tokenizer.vocabulary_size(), expected["size"]);
  for (const auto& [prompt, ids] : expected["ids"].items())
    EXPECT_EQ(tokenizer.encode(prompt), ids.get<std::vector<std::int64_t>>()) << prompt;
}

TEST(TokenizerJson, GivesTheIdsOfTransformers) {
  for (const char* name : {"added", "bang", "pad"}) {
    SCOPED_TRACE(name);
    const auto expected = nlohmann::json::parse(read_text(golden(name) / "ids.json"));
    ASSERT_GE(expected["ids"].size(), 5u);
    expect_ids(Tokenizer::open(golden(name)), expected);
  }
}

TEST(TokenizerJson, KeepsItsAddedTokensInTheFilesThatAreWritten) {
  for (const char* name : {"added", "bang", "pad"}) {
    SCOPED_TRACE(name);
    const fs::path folder = fs::path(testing::TempDir()) / "sinter_tokenizer_json";
    fs::remove_all(folder);
    fs::create_directories(folder);
    for (const VocabularyFile& file : vocabulary_files(read_vocabulary(golden(name))))
      std::ofstream(folder / file.name, std::ios::binary) << file.text;
    expect_ids(Tokenizer::open(folder),
               nlohmann::json::parse(read_text(golden(name) / "ids.json")));
    fs::remove_all(folder);
  }
}

std::string message_of(std::string_view json, ErrorCode code) {
  try {
    read_tokenizer_json(json);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << json;
    return error.message();
  }
  return "no error";
}

TEST(TokenizerJson, OfAnotherKindIsNamed) {
  const auto of = [](std::string_view json) { return message_of(json, ErrorCode::kUnsupported); };
  const std::string expected = ", expected CLIP's: BPE with '</w>' at a word's end";
  EXPECT_EQ(of(R"({"model": {"type": "Unigram", "vocab": [["<pad>", 0.0]]}})"),
            "tokenizer.json holds a Unigram tokenizer" + expected);
  EXPECT_EQ(of(R"({"model": {"type": "WordPiece", "vocab": {}}})"),
            "tokenizer.json holds a WordPiece tokenizer" + expected);
  EXPECT_EQ(
      of(R"({"model": {"type": "BPE", "end_of_word_suffix": "", "vocab": {}, "merges": []}})"),
      "tokenizer.json holds BPE with '' at a word's end" + expected);
  EXPECT_EQ(of("[]"), "tokenizer.json holds no tokenizer that has a type" + expected);
}

TEST(TokenizerJson, DamagedIsRefused) {
  const auto with = [](const std::string& rest) {
    return message_of(R"({"model": {"type": "BPE", "end_of_word_suffix": "</w>", )" + rest,
                      ErrorCode::kBadFile);
  };
  EXPECT_EQ(with(R"("vocab": {"a": 0}, "merges": ["ab"]}})"),
            "merge 0 of tokenizer.json is \"ab\", expected two tokens");
  EXPECT_EQ(with(R"("vocab": {"a": 0}, "merges": [["a", "b", "c"]]}})"),
            "merge 0 of tokenizer.json is [\"a\",\"b\",\"c\"], expected two tokens");
  EXPECT_EQ(with(R"("vocab": ["a"]}})"),
            "the vocabulary is a JSON array, expected an object of token: id");
  EXPECT_EQ(with(R"("vocab": {"a": 0}}, "added_tokens": [{"id": 1}]})"),
            "an added token is {\"id\":1}, expected its content");
  EXPECT_EQ(with(R"("vocab": {"a": 0}}, "added_tokens": [{"content": "<b>"}]})"),
            "token '<b>' has the id null, expected 0 to 1048575");
}

}  // namespace
}  // namespace sinter::pipeline
