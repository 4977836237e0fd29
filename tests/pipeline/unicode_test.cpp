#include "sinter/pipeline/unicode.h"

#include <gtest/gtest.h>

namespace sinter::pipeline {
namespace {

// Expected forms: NormalizationTest.txt of the Unicode Character Database, part 1 and 2.
TEST(Unicode, ComposesCanonically) {
  EXPECT_EQ(nfc(U"e\u0301"), U"\u00E9");
  EXPECT_EQ(nfc(U"\u212B"), U"\u00C5");                    // angstrom sign
  EXPECT_EQ(nfc(U"\u1100\u1161\u11A8"), U"\uAC01");        // Hangul syllable
  EXPECT_EQ(nfc(U"\u1104\u1172\u11A7"), U"\uB70C\u11A7");  // no trailing consonant
  EXPECT_EQ(nfc(U"\u0958"), U"\u0915\u093C");              // excluded from composition
  EXPECT_EQ(nfc(U"a\u0315\u0300\u05AE\u0300b"), U"\u00E0\u05AE\u0300\u0315b");
  EXPECT_EQ(nfc(U"\u1E9B\u0323"), U"\u1E9B\u0323");
  EXPECT_EQ(nfc(U"\uFB01"), U"\uFB01");  // compatibility only
}

TEST(Unicode, MarksNewerThanTheNormalizerAreNotReordered) {
  EXPECT_EQ(nfc(U"x\u0315\u1DF9"), U"x\u0315\u1DF9");  // combining class 220 since Unicode 10
  EXPECT_EQ(nfc(U"\U00011935\U00011930"), U"\U00011935\U00011930");
}

TEST(Unicode, LowersEachCodePointByItself) {
  EXPECT_EQ(to_lower(U"ΑΣ"), U"ασ");  // not the final form
  EXPECT_EQ(to_lower(U"İ"), U"i\u0307");
  EXPECT_EQ(to_lower(U"ẞǅ"), U"ßǆ");
  EXPECT_EQ(to_lower(U"\U00016EA0\uA7CE\uA7CB"), U"\U00016EBB\uA7CF\u0264");
}

TEST(Unicode, ClassifiesLettersNumbersAndSpaces) {
  EXPECT_TRUE(is_letter(U'ﾊ') && is_letter(U'\U0001D52F') && is_letter(U'\U0002EBF0'));
  EXPECT_TRUE(is_number(U'½') && is_number(U'٣') && is_number(U'²') && is_number(U'\U00011BF0'));
  EXPECT_TRUE(is_space(U'\u0085') && is_space(U'\u3000') && is_space(U'\n'));
  EXPECT_FALSE(is_space(U'\u200B') || is_space(U'\uFEFF') || is_space(U'\0'));
  EXPECT_FALSE(is_letter(U'\u0301') || is_number(U'!'));
}

}  // namespace
}  // namespace sinter::pipeline
