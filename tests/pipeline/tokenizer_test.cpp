#include "sinter/pipeline/tokenizer.h"

#include <gtest/gtest.h>

#include <fstream>

#include "sinter/base/error.h"

namespace sinter::pipeline {
namespace {

namespace fs = std::filesystem;
using Ids = std::vector<std::int64_t>;

class Folder {
 public:
  explicit Folder(const std::string& name) : path(fs::path(testing::TempDir()) / name) {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
  }

  const fs::path path;
};

// Ids in this file come from transformers 5.24's CLIPTokenizer.
TEST(Tokenizer, SpecialTokensAsWrittenAreTheirIds) {
  const Tokenizer tokenizer = Tokenizer::clip();
  EXPECT_EQ(tokenizer.encode("<|endoftext|>'s"), (Ids{49407, 568}));
  EXPECT_EQ(tokenizer.encode("  <|startoftext|> "), Ids{49406});
  EXPECT_EQ(tokenizer.encode("<|ENDOFTEXT|> x"), (Ids{27, 347, 40786, 4160, 91, 285, 343}));
}

TEST(Tokenizer, TextIsCleanedTheWayOfTransformers) {
  const Tokenizer tokenizer = Tokenizer::clip();
  EXPECT_EQ(tokenizer.encode("don't'S"), (Ids{847, 713, 568}));
  EXPECT_EQ(tokenizer.encode("ΣΑΣ"), (Ids{139, 225, 138, 109, 139, 481}));
  EXPECT_EQ(tokenizer.encode(std::string("a\0b", 3)), (Ids{320, 444, 321}));
  EXPECT_EQ(tokenizer.encode("\uFEFFb"), (Ids{171, 119, 379, 321}));
  EXPECT_EQ(tokenizer.encode("x\u0085y\u200bz"), (Ids{343, 344, 9844, 345}));
}

TEST(Tokenizer, AWindowIsStartTextEndAndPadding) {
  const Tokenizer clip = Tokenizer::clip();
  const TokenWindow window = clip.windows("a").front();
  ASSERT_EQ(window.size(), 77u);
  EXPECT_EQ((Ids{window.begin(), window.begin() + 4}), (Ids{49406, 320, 49407, 49407}));
  EXPECT_EQ(window.back(), 49407);
  const TokenWindow open_clip = Tokenizer::clip(Padding::kZero).windows("a").front();
  EXPECT_EQ((Ids{open_clip.begin(), open_clip.begin() + 4}), (Ids{49406, 320, 49407, 0}));
  EXPECT_EQ(open_clip.back(), 0);
}

TEST(Tokenizer, LongPromptsBreakWhereAWindowIsFull) {
  const Tokenizer tokenizer = Tokenizer::clip();
  std::string text;
  for (int i = 0; i < 75; ++i) text += "a ";
  EXPECT_EQ(tokenizer.windows(text).size(), 1u);
  const auto windows = tokenizer.windows(text + "b");
  ASSERT_EQ(windows.size(), 2u);
  EXPECT_EQ(windows[0][75], 320);
  EXPECT_EQ(windows[0][76], 49407);
  EXPECT_EQ(windows[1][1], 321);
  EXPECT_EQ(windows[1][2], 49407);
}

TEST(Tokenizer, AShortPromptFillsUpToTheWindowsOfTheOther) {
  const auto windows = Tokenizer::clip().windows("", 3);
  ASSERT_EQ(windows.size(), 3u);
  EXPECT_EQ(windows[2], windows[0]);
  EXPECT_EQ(windows[2][1], 49407);
}

TEST(Tokenizer, AMillionLettersAreOneWord) {
  const Ids ids = Tokenizer::clip().encode(std::string(1 << 20, 'a'));
  ASSERT_EQ(ids.size(), 131073u);
  EXPECT_EQ(ids.front(), 23126);
  EXPECT_EQ((Ids{ids.end() - 3, ids.end()}), (Ids{23126, 6727, 19336}));
}

TEST(Tokenizer, WrittenFilesReadBackAsTheSameTokenizer) {
  const Folder folder("sinter_tokenizer");
  const std::vector<VocabularyFile> files = Tokenizer::clip(Padding::kZero).files();
  ASSERT_EQ(files.size(), 4u);
  for (const VocabularyFile& file : files) folder.write(file.name, file.text);
  const Tokenizer back = Tokenizer::open(folder.path);
  EXPECT_EQ(back.vocabulary_size(), 49408u);
  EXPECT_EQ(back.padding_id(), 0);
  const std::string text = "It's naïve, 日本の城 😀 \"quoted\\\"";
  EXPECT_EQ(back.windows(text), Tokenizer::clip(Padding::kZero).windows(text));
  EXPECT_EQ(files[3].text,
            "{\n  \"bos_token\": \"<|startoftext|>\",\n  \"eos_token\": \"<|endoftext|>\",\n"
            "  \"pad_token\": \"!\",\n  \"unk_token\": \"<|endoftext|>\"\n}\n");
}

constexpr const char* kSmallVocabulary =
    R"({"a": 0, "b": 1, "a</w>": 2, "b</w>": 3, "ab</w>": 4, "<|startoftext|>": 5, "<|endoftext|>": 6})";

TEST(Tokenizer, AFoldersOwnVocabularyWins) {
  const Folder folder("sinter_small_tokenizer");
  folder.write("vocab.json", kSmallVocabulary);
  folder.write("merges.txt", "#version: 0.2\na b</w>\n");
  const Tokenizer tokenizer = Tokenizer::open(folder.path);
  // Bytes outside the vocabulary are unknown one by one, and unknown is the end token.
  EXPECT_EQ(tokenizer.encode("aab xyb"), (Ids{0, 4, 6, 6, 3}));
  EXPECT_EQ(tokenizer.padding_id(), 6);
}

// As transformers 4 keeps them beside vocab.json; ids behind the vocabulary and a gap.
TEST(Tokenizer, AddedTokensAreReadFromTheirFiles) {
  const Folder folder("sinter_added_tokens");
  folder.write("vocab.json", kSmallVocabulary);
  folder.write("merges.txt", "#version: 0.2\na b</w>\n");
  folder.write("added_tokens.json", R"({"<a>": 9, "<b>": 12})");
  folder.write("tokenizer_config.json",
               R"({"pad_token": "<b>", "added_tokens_decoder": {
                   "9": {"content": "<a>", "normalized": false},
                   "5": {"content": "<|startoftext|>", "special": true}}})");
  const Tokenizer tokenizer = Tokenizer::open(folder.path);
  EXPECT_EQ(tokenizer.encode("ab<a>b<B>a"), (Ids{4, 9, 3, 12, 2}));
  EXPECT_EQ(tokenizer.encode("<A>"), (Ids{6, 2, 6})) << "only <b> is looked for in small letters";
  EXPECT_EQ(tokenizer.padding_id(), 12);
  EXPECT_EQ(tokenizer.vocabulary_size(), 13u);
}

TEST(Tokenizer, RefusesMergesOfAnotherVocabulary) {
  const Folder folder("sinter_wrong_tokenizer");
  folder.write("vocab.json", kSmallVocabulary);
  folder.write("merges.txt", "#version: 0.2\na b\n");
  try {
    Tokenizer::open(folder.path);
    FAIL() << "the tokenizer was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadFile);
    EXPECT_EQ(error.message(),
              "merge 0 ('a b') needs the token 'ab', which is not in the vocabulary of 7 tokens");
  }
}

TEST(Tokenizer, RefusesDamagedFiles) {
  const Folder folder("sinter_damaged_tokenizer");
  folder.write("merges.txt", "#version: 0.2\na b</w>\n");
  for (const char* vocabulary :
       {"{", "[]", R"({"a": -1})", R"({"a": 99999999})", R"({"a": "x"})", R"({"a": 0})"}) {
    folder.write("vocab.json", vocabulary);
    EXPECT_THROW(Tokenizer::open(folder.path), Error) << vocabulary;
  }
  folder.write("vocab.json", kSmallVocabulary);
  folder.write("merges.txt", "ab</w>\n");
  EXPECT_THROW(Tokenizer::open(folder.path), Error);
  EXPECT_THROW(Tokenizer::open(folder.path / "nowhere"), Error);
}

}  // namespace
}  // namespace sinter::pipeline
