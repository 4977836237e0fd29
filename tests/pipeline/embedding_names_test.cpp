#include "sinter/pipeline/embedding_names.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sinter/base/error.h"
#include "sinter/pipeline/tokenizer.h"

namespace sinter::pipeline {
namespace {
namespace fs = std::filesystem;
using Ids = std::vector<std::int64_t>;

constexpr std::int64_t kFirst = 49408;  // behind CLIP's own

/// CLIP's tokenizer with embeddings, through the files that a conversion writes.
class EmbeddingNames : public testing::Test {
 protected:
  ~EmbeddingNames() override { fs::remove_all(folder_); }

  void add(const std::string& name, std::int64_t vectors) {
    add_embedding(vocabulary_, name, next_, vectors);
    next_ += vectors;
  }

  std::string refusal(const std::string& name, std::int64_t vectors = 1) {
    try {
      add_embedding(vocabulary_, name, next_, vectors);
      return "taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
      return error.message();
    }
  }

  Tokenizer tokenizer() const {
    fs::create_directories(folder_);
    for (const VocabularyFile& file : vocabulary_files(vocabulary_))
      std::ofstream(folder_ / file.name, std::ios::binary) << file.text;
    return Tokenizer::open(folder_);
  }

  Vocabulary vocabulary_ = clip_vocabulary();
  std::int64_t next_ = kFirst;
  fs::path folder_ = fs::path(testing::TempDir()) /
                     (std::string("sinter-embedding-") +
                      testing::UnitTest::GetInstance()->current_test_info()->name());
};

Ids without_first(Ids ids) {
  ids.erase(ids.begin());
  return ids;
}

TEST_F(EmbeddingNames, StandForAllTheirVectors) {
  add("easynegative", 3);
  add("<cat>", 1);
  const Tokenizer t = tokenizer();
  EXPECT_EQ(t.encode("easynegative"), (Ids{kFirst, kFirst + 1, kFirst + 2}));
  EXPECT_EQ(t.encode("<cat>"), (Ids{kFirst + 3}));
  const Ids words = Tokenizer::clip().encode("a, b");
  Ids expected{words[0], words[1], kFirst + 3, kFirst, kFirst + 1, kFirst + 2, words[2]};
  EXPECT_EQ(t.encode("a, <cat> easynegative b"), expected);
}

TEST_F(EmbeddingNames, AreFoundInCapitalsAndAsWholeWords) {
  add("EasyNegative", 1);
  add("bad-hands-5", 1);
  add("<Cat>", 1);
  const Tokenizer t = tokenizer();
  const Tokenizer clip = Tokenizer::clip();
  EXPECT_EQ(t.encode("EASYNEGATIVE"), (Ids{kFirst}));
  EXPECT_EQ(without_first(t.encode("(easynegative:1.2)")),
            without_first(t.encode("(EasyNegative:1.2)")));
  EXPECT_EQ(t.encode("easynegatives"), clip.encode("easynegatives"));
  EXPECT_EQ(t.encode("my_easynegative"), clip.encode("my_easynegative"));
  EXPECT_EQ(t.encode("bad-hands-5"), (Ids{kFirst + 1}));
  EXPECT_EQ(t.encode("bad-hands-55"), clip.encode("bad-hands-55"));
  // Brackets are no part of words.
  EXPECT_EQ(t.encode("x<CAT>x")[1], kFirst + 2);
}

TEST_F(EmbeddingNames, AreNotSplitOverWindows) {
  add("<long>", 10);
  const Tokenizer t = tokenizer();
  std::string text;
  for (int i = 0; i < 70; ++i) text += "cat ";
  const std::vector<TokenWindow> windows = t.windows(text + "<long> dog");
  ASSERT_EQ(windows.size(), 2u);
  const Ids cat = Tokenizer::clip().encode("cat");
  const Ids dog = Tokenizer::clip().encode("dog");
  EXPECT_EQ(windows[0][70], cat[0]);
  EXPECT_EQ(windows[0][71], t.end_id()) << "the rest of the window stays empty";
  EXPECT_EQ(windows[1][1], kFirst);
  EXPECT_EQ(windows[1][10], kFirst + 9);
  EXPECT_EQ(windows[1][11], dog[0]);
  // They count towards the 75 places of a window.
  EXPECT_EQ(t.windows(text.substr(0, 65 * 4) + "<long>").size(), 1u);
  EXPECT_EQ(t.windows(text.substr(0, 66 * 4) + "<long>").size(), 2u);
}

TEST_F(EmbeddingNames, OfMoreVectorsThanAWindowFillSeveral) {
  add("<huge>", 80);
  const std::vector<TokenWindow> windows = tokenizer().windows("cat <huge>");
  ASSERT_EQ(windows.size(), 3u);
  EXPECT_EQ(windows[0][2], tokenizer().end_id());
  EXPECT_EQ(windows[1][75], kFirst + 74);
  EXPECT_EQ(windows[2][1], kFirst + 75);
}

TEST_F(EmbeddingNames, ThatAreTakenAreRefused) {
  add("cat", 2);
  EXPECT_EQ(refusal("CAT"),
            "the embedding 'CAT' would be taken for the token 'cat', which is "
            "there already");
  EXPECT_EQ(refusal("cat_1"),
            "the embedding 'cat_1' would be taken for the token 'cat_1', which "
            "is there already");
  EXPECT_EQ(refusal("cat_2"),
            "the embedding 'cat_2' would be taken for the token 'cat', which is there already");
  add("dog_1", 1);
  EXPECT_EQ(refusal("dog"),
            "the embedding 'dog' would be taken for the token 'dog_1', which is there already");
  EXPECT_EQ(refusal("bird"), "taken");
}

TEST_F(EmbeddingNames, ThatCannotBeOneAreRefused) {
  for (const std::string name : {"", "  ", "a\nb", "<|endoftext|>", "a\xff"})
    EXPECT_NE(refusal(name).find("cannot be the name of an embedding"), std::string::npos) << name;
}

TEST_F(EmbeddingNames, AreLookedForInPromptsTheSameWay) {
  EXPECT_TRUE(mentions("a photo, Bad-Hands-5", "bad-hands-5"));
  EXPECT_TRUE(mentions("(easynegative:1.3)", "EasyNegative"));
  EXPECT_TRUE(mentions("a<cat>", "<cat>"));
  EXPECT_TRUE(mentions("by  my   style", "My Style"));
  EXPECT_FALSE(mentions("concatenate", "cat"));
  EXPECT_FALSE(mentions("cat_1", "cat"));
  EXPECT_FALSE(mentions("anything", ""));
}

}  // namespace
}  // namespace sinter::pipeline
