#include "sinter/base/utf8.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace sinter
