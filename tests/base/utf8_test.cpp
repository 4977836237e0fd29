#include "sinter/base/utf8.h"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>

namespace sinter {
namespace {

std::size_t length(std::string_view text) { return utf8_length(std::as_bytes(std::span(text))); }

TEST(Utf8, TakesEveryWellFormedCharacter) {
  EXPECT_EQ(length(""), 0u);
  EXPECT_EQ(length("plain ASCII, longer than a word"), 31u);
  EXPECT_EQ(length("\xc2\x80 \xdf\xbf \xe0\xa0\x80 \xed\x9f\xbf \xee\x80\x80 \xef\xbf\xbf"), 21u);
  EXPECT_EQ(length("\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf"), 9u);
}

TEST(Utf8, StopsAtIllFormedCharacters) {
  EXPECT_EQ(length("ab\x80"), 2u);            // continuation without a lead
  EXPECT_EQ(length("12345678\xc1\xbf"), 8u);  // overlong
  EXPECT_EQ(length("\xe0\x9f\xbf"), 0u);      // overlong
  EXPECT_EQ(length("\xed\xa0\x80"), 0u);      // surrogate
  EXPECT_EQ(length("\xf4\x90\x80\x80"), 0u);  // above U+10FFFF
  EXPECT_EQ(length("\xf5\x80\x80\x80"), 0u);  // above U+10FFFF
  EXPECT_EQ(length("\xe2\x82"), 0u);          // unfinished
  EXPECT_EQ(length("\xe2\x82g"), 0u);         // broken off
}

TEST(Utf8, InvalidBytesBecomeReplacementCharacters) {
  EXPECT_EQ(decode_utf8("a\xFF\xC3(\xE2\x82"), U"a\uFFFD\uFFFD(\uFFFD\uFFFD");
  EXPECT_EQ(decode_utf8("\xED\xA0\x80"), U"\uFFFD\uFFFD\uFFFD");            // half a surrogate pair
  EXPECT_EQ(decode_utf8("\xC0\x80"), U"\uFFFD\uFFFD");                      // longer than needed
  EXPECT_EQ(decode_utf8("\xF4\x90\x80\x80"), U"\uFFFD\uFFFD\uFFFD\uFFFD");  // beyond the last
}

TEST(Utf8, TextGoesThroughUnchanged) {
  const std::string text = "aé日😀\x7F\u0080\u07FF\u0800\uFFFF\U00010000\U0010FFFF";
  std::string back;
  for (const char32_t code : decode_utf8(text)) append_utf8(back, code);
  EXPECT_EQ(back, text);
}

}  // namespace
}  // namespace sinter
